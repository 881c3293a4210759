"""Reads a Dockerfile: instructions, and the stages they make."""
import dataclasses
import json
import shlex


@dataclasses.dataclass
class Instruction:
    line: int
    word: str  # upper case: FROM, RUN, ...
    text: str  # the rest, continuation lines joined

    def flags(self):
        """The words like --from=build that come first, as a dict."""
        found = {}
        for word in self.text.split():
            if not word.startswith('--'):
                break
            name, _, value = word[2:].partition('=')
            found[name] = value
        return found

    def rest(self):
        """The text after the flags."""
        words = self.text
        while words.startswith('--'):
            words = words.partition(' ')[2].lstrip()
        return words

    def exec_form(self):
        """The list of ["a", "b"], or None for the shell form."""
        rest = self.rest()
        if not rest.startswith('['):
            return None
        try:
            words = json.loads(rest)
        except ValueError:
            return None
        return words if all(isinstance(word, str) for word in words) else None

    def assignments(self):
        """The pairs of ENV, LABEL or ARG: NAME=VALUE ..."""
        return [tuple(word.partition('=')[::2]) for word in shlex.split(self.rest())]


@dataclasses.dataclass
class Stage:
    name: str
    base: str
    line: int
    instructions: list


def read_instructions(text):
    instructions, pending, first = [], '', 0
    for number, line in enumerate(text.splitlines(), 1):
        stripped = line.strip()
        if not stripped or stripped.startswith('#'):
            continue
        first = first or number
        if stripped.endswith('\\'):
            pending += stripped[:-1].rstrip() + ' '
            continue
        word, _, rest = (pending + stripped).partition(' ')
        instructions.append(Instruction(first, word.upper(), rest.strip()))
        pending, first = '', 0
    if pending:
        raise ValueError(f'line {first}: the instruction does not end')
    return instructions


def read_stages(text):
    stages = []
    for instruction in read_instructions(text):
        if instruction.word == 'FROM':
            words = instruction.rest().split()
            named = len(words) == 3 and words[1].upper() == 'AS'
            if not named and len(words) != 1:
                raise ValueError(f'line {instruction.line}: FROM {instruction.text}: expected IMAGE [AS NAME]')
            stages.append(Stage(words[2] if named else str(len(stages)), words[0], instruction.line, []))
        elif stages:
            stages[-1].instructions.append(instruction)
        elif instruction.word != 'ARG':
            raise ValueError(f'line {instruction.line}: {instruction.word} before the first FROM')
    return stages
