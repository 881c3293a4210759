"""The one-line changes that mutate.py can make to a C++ source formatted by clang-format.

A change is made to code only: comments, strings, preprocessor lines, static assertions and lines that only log or reserve
memory are left alone. So are the conditions of for loops, since reading one element too many is for the address sanitizer to
find, and the values of enumerations, which are stored.
"""
import dataclasses
import re


@dataclasses.dataclass(frozen=True)
class Change:
    line: int      # from 1
    kind: str
    before: str    # the line without its end
    after: str


# Before the code of a source whose changes are switched by the environment. Sources may be compiled together.
SWITCH = '''\
#ifndef DIOPI_CHANGED
#include <cstdlib>
namespace diopi_change {
inline const int number = [] {
  const char* const text = std::getenv("DIOPI_CHANGE");
  return text == nullptr ? 0 : std::atoi(text);
}();
}
#define DIOPI_CHANGED(n) (::diopi_change::number == (n))
#endif
'''


_TOKEN = re.compile(r'''
    //[^\n]* | /\*.*?\*/ |
    R"(?P<mark>[^(\s]*)\(.*?\)(?P=mark)" |
    "(?:\\.|[^"\\\n])*" | (?<![0-9A-Fa-f])'(?:\\.|[^'\\\n])+'
    ''', re.DOTALL | re.VERBOSE)


def code_lines(text):
    """The text's lines with everything that is not code replaced by spaces (a string by quotes and spaces)."""
    def blank(match):
        kept = re.sub(r'[^\n]', ' ', match[0])
        return kept if match[0].startswith('/') else '"' + kept[1:-1] + '"'

    lines = _TOKEN.sub(blank, text).split('\n')
    skipping = None  # what ends the lines that are left out
    for i, line in enumerate(lines):
        if skipping is None:
            if line.lstrip().startswith('#'):
                skipping = '[^\\\\]$|^$'
            elif re.match(r'\s*(static_assert|(ABSL_|GTEST_)?V?LOG|std::fprintf|fprintf)\b', line):
                skipping = r';\s*$'
            elif re.match(r'\s*enum\b', line):
                skipping = r'\};'
            elif re.search(r'\breserve\(|^\s*(using|namespace|template|friend|typedef)\b|\boperator\S', line):
                lines[i] = ''
                continue
            else:
                continue
        lines[i] = ''
        if re.search(skipping, line):
            skipping = None
    return lines


_COMPARISONS = {'<': '<=', '<=': '<', '>': '>=', '>=': '>', '==': '!=', '!=': '=='}
_SWAPS = [
    ('logic', r'(?<=\s)(&&|\|\|)(?=\s|$)', {'&&': '||', '||': '&&'}),
    ('arithmetic', r'(?<=[\w)\]] )[+-](?= [\w(])|(?<=[\w)\]] )[+-](?==\s)', {'+': '-', '-': '+'}),
    ('bounds', r'(?<=std::)(min|max)(?=[(<])', {'min': 'max', 'max': 'min'}),
    ('truth', r'(?<=return )(true|false)(?=;)', {'true': 'false', 'false': 'true'}),
    ('negation', r'!(?=[\w(])', {'!': ''}),
]
_NUMBER = re.compile(r"(?<![\w.'])(\d[\d']*(?:\.\d+)?(?:e-?\d+)?|\.\d+)([uUlLfF]*)(?![\w.'])")
_TIME = re.compile(r'(Nano|Micro|Milli)?[sS]econds\b|Minutes|Hours|milliseconds|minutes|hours')


def _numbers(code):
    """(start, end, new texts) of each number."""
    for match in _NUMBER.finditer(code):
        digits = match[1].replace("'", '')
        if re.search(r'(array<[^>]*|\[)$', code[:match.start()]) and code[match.end():match.end() + 1] in (']', '>'):
            continue  # an index or a size, for the compiler to check
        if re.fullmatch(r'\d+', digits):
            value = int(digits)
            values = [1] if value == 0 else [0, 2] if value == 1 else [value + 1, value - 1, 2 * value, value // 2]
            if value > 1 and _TIME.search(code):
                values = values[2:]
        else:
            values = [2 * float(digits), float(digits) / 2]
        yield match.start(), match.end(), [f'{v}{match[2]}' for v in dict.fromkeys(values)]


def _closing(code, start):
    """Where the parenthesis that opens at `start` is closed; -1: on another line."""
    depth = 0
    for i in range(start, len(code)):
        depth += {'(': 1, ')': -1}.get(code[i], 0)
        if depth == 0:
            return i
    return -1


def _conditions(code, line):
    """Dropped checks, and branches that are always taken."""
    match = re.match(r'\s*(?:\} else )?if (?:constexpr )?(\()', code)
    end = _closing(code, match.start(1)) if match else -1
    if end < 0 or 'constexpr' in match[0]:
        return
    start = code.rfind('; ', match.end(), end)
    start = match.end() if start < 0 else start + 2
    dropped = re.match(r' (return|continue|break)\b', code[end + 1:])
    yield ('dropped check' if dropped else 'condition false',
           f'{line[:start]}false && ({line[start:end]}){line[end:]}')
    if not dropped:
        yield 'condition true', f'{line[:start]}true || ({line[start:end]}){line[end:]}'


def _without_loop_condition(code):
    """The code without what follows the first part of a for loop's head."""
    match = re.match(r'\s*for (\().*?;', code)
    if match is None:
        return code
    end = _closing(code, match.start(1))
    end = len(code) if end < 0 else end
    return code[:match.end()] + ' ' * (end - match.end()) + code[end:]


def _mixes(code, at, operator):
    """Whether the other logical operator stands in the same parentheses, where gcc would warn of the swapped one."""
    depth, depths = 0, {}
    for i, character in enumerate(code):
        depth += {'(': 1, ')': -1}.get(character, 0)
        depths[i] = depth
    return any(code[i:i + 2] == operator and i != at and depths[i] == depths[at] for i in range(len(code)))


_STATEMENT = re.compile(r'\s+(?:\+\+|--)?\*?[A-Za-z_][\w:.>\-\[\]*]*(?:\(.*\)[\w:.>\-()]*| [+\-*/|&]?= .*|);$')


def _dropped(codes, i, line):
    """A statement that does not happen, and an early return or continue."""
    code = codes[i].rstrip()
    before, after = ''.join(codes[max(0, i - 1):i]).rstrip(), ''.join(codes[i + 1:i + 2]).strip()
    if code.count('(') != code.count(')') or code.count('{') != code.count('}'):
        return
    indent = line[:len(line) - len(line.lstrip())]
    if re.fullmatch(r'\s+continue;|\s{4,}return\b.*;', code):
        if before.endswith('{') and after == '}' and not re.match(r'\s*(\} )?else\b', before):
            yield 'dropped return', indent + '{}'
    elif before.endswith(('{', ';', '}', ')', ':')) or not before:
        if not re.match(r'\s+(return|break|continue|delete|throw|goto|case|default|public|private)\b', code):
            if _STATEMENT.fullmatch(code) and ('(' in code or '=' in code or '+' in code or '-' in code):
                yield 'dropped statement', indent + '{}'


def changes(text):
    """All changes of a source, in the order of its lines."""
    lines, codes, found = text.split('\n'), code_lines(text), []
    for i, (line, code) in enumerate(zip(lines, codes)):
        if not code.strip():
            continue

        def add(kind, after):
            if after.strip() != line.strip():
                found.append(Change(i + 1, kind, line, after.rstrip()))

        def put(kind, start, end, new):
            add(kind, line[:start] + new + line[end:])

        code = _without_loop_condition(code)
        for match in re.finditer(r'(?<=\s)([<>]=?|[!=]=)(?=\s|$)', code):
            put('comparison', match.start(), match.end(), _COMPARISONS[match[0]])
        for kind, pattern, swap in _SWAPS:
            for match in re.finditer(pattern, code):
                if kind != 'logic' or not _mixes(code, match.start(), match[0]):
                    put(kind, match.start(), match.end(), swap[match[0]])
        for start, end, values in _numbers(code):
            for value in values:
                put('time' if _TIME.search(code) else 'limit' if 'constexpr' in code else 'number', start, end, value)
        for match in re.finditer(r'absl::Now\(\)', code):
            put('time', match.start(), match.end(), '(absl::Now() - absl::Minutes(30))')
        for kind, after in (*_conditions(code, line), *_dropped(codes, i, line)):
            add(kind, after)
    return found


def switched(change, number):
    """The line with both versions, of which DIOPI_CHANGE=number chooses the changed one; None where one line cannot hold both."""
    chosen, (before, after) = f'DIOPI_CHANGED({number})', (_code(change.before), _code(change.after))
    indent = change.before[:len(change.before) - len(change.before.lstrip())]
    if 'constexpr' in before or before.count('{') != after.count('{') and after.strip() != '{}':
        return None
    if after.strip() == '{}':
        if re.match(r'\s*return\b', before):
            return f'{indent}if (!{chosen}) {before.strip()}'
        return f'{indent}{{ if (!{chosen}) {before.strip()} }}' if before.rstrip().endswith(';') else None
    heads = [re.match(r'\s*(?:\} else )?if (\()', text) for text in (before, after)]
    if all(heads):
        ends = [_closing(text, head.start(1)) for text, head in zip((before, after), heads)]
        if min(ends) < 0:
            return None
        whole = [text[head.end():end] for text, head, end in zip((before, after), heads, ends)]
        if before[:heads[0].end()] == after[:heads[1].end()] and before[ends[0]:] == after[ends[1]:]:
            if any(';' in text for text in whole):
                return None
            return f'{before[:heads[0].end()]}{chosen} ? static_cast<bool>({whole[1]}) : static_cast<bool>({whole[0]}){before[ends[0]:]}'
        if ' else ' in before or not before.rstrip().endswith(';'):
            return None  # the change is in what follows the condition
        return f'{indent}if ({chosen}) {{ {after.strip()} }} else {{ {before.strip()} }}'
    for pattern in (r'(\s*return )([^{}]*)(;\s*)', r'(\s*(?:const )?(?:bool|double|int|size_t|u?int\d+_t) \w+ = )([^{}]*)(;\s*)'):
        parts = [re.fullmatch(pattern, text) for text in (before, after)]
        if all(parts):
            return f'{parts[0][1]}{chosen} ? ({parts[1][2]}) : ({parts[0][2]}){parts[0][3]}'
    if _STATEMENT.fullmatch(before) and _STATEMENT.fullmatch(after) and before.count('(') == before.count(')'):
        return f'{indent}{{ if ({chosen}) {{ {after.strip()} }} else {{ {before.strip()} }} }}'
    return None


def _code(line):
    """The line without a comment at its end."""
    return line[:len(code_lines(line)[0].rstrip())]
