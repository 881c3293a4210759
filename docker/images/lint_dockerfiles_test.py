#!/usr/bin/python3
"""Each rule of lint_dockerfiles.py finds what it is for, and nothing in a good file."""
import unittest

import lint_dockerfiles

GOOD = '''FROM debian:12-slim AS build
COPY docker/install-packages.sh /src/
RUN ["/src/install-packages.sh", "--clean", \\
     "/src/packages.txt"]
USER 65532:65532
HEALTHCHECK NONE

FROM build AS server
COPY --from=build /opt /opt
EXPOSE 7410
ENTRYPOINT ["/opt/bin/server"]
CMD ["--help"]
'''

# Rule -> (what of GOOD is replaced, by what).
BAD = {
    'DL3000': ('EXPOSE 7410', 'WORKDIR opt'),
    'DL3002': ('EXPOSE 7410', 'USER root'),
    'DL3003': ('EXPOSE 7410', 'RUN cd /src && make'),
    'DL3004': ('EXPOSE 7410', 'RUN sudo make'),
    'DL3006': ('debian:12-slim', 'debian'),
    'DL3007': ('debian:12-slim', 'debian:latest'),
    'DL3009': ('"--clean", ', ''),
    'DL3011': ('7410', '74100'),
    'DL3012': ('HEALTHCHECK NONE', 'HEALTHCHECK NONE\nHEALTHCHECK CMD ["true"]'),
    'DL3020': ('EXPOSE 7410', 'ADD a /b'),
    'DL3022': ('--from=build', '--from=biuld'),
    'DL3023': ('--from=build', '--from=server'),
    'DL3024': ('AS server', 'AS build'),
    'DL3025': ('CMD ["--help"]', 'CMD --help'),
    'DL3027': ('EXPOSE 7410', 'RUN apt install x'),
    'DL3045': ('/opt /opt', '/opt opt'),
    'DL3057': ('HEALTHCHECK NONE', ''),
    'DL3061': ('FROM debian:12-slim AS build', ''),
    'DL4000': ('EXPOSE 7410', 'MAINTAINER somebody'),
    'DL4003': ('EXPOSE 7410', 'CMD ["a"]'),
    'DL4004': ('EXPOSE 7410', 'ENTRYPOINT ["a"]'),
    'DL4006': ('EXPOSE 7410', 'RUN a | b'),
    'DIOPI1': ('EXPOSE 7410', 'RUN ["make"]'),
    'DIOPI2': ('EXPOSE 7410', 'ENV DIOPI_TOKEN=abc'),
    'DIOPI3': ('65532:65532', 'diopi'),
}


class LintTest(unittest.TestCase):

    def test_a_good_file(self):
        self.assertEqual(list(lint_dockerfiles.lint(GOOD)), [])

    def test_each_rule(self):
        for rule, (old, new) in BAD.items():
            with self.subTest(rule):
                self.assertIn(old, GOOD)
                found = {f[1] for f in lint_dockerfiles.lint(GOOD.replace(old, new, 1))}
                self.assertIn(rule, found)

    def test_every_rule_of_the_text_has_a_test(self):
        import re
        listed = set(re.findall(r'(?:DL\d{4}|DIOPI\d)', lint_dockerfiles.__doc__))
        self.assertEqual(listed, set(BAD))

    def test_a_copied_secret(self):
        found = {f[1] for f in lint_dockerfiles.lint(GOOD.replace('EXPOSE 7410', 'COPY server.key /etc/server.key'))}
        self.assertIn('DIOPI2', found)


if __name__ == '__main__':
    unittest.main()
