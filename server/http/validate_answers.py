"""Validates answers of the JSON API by its schema: validate_answers.py FILE.

FILE: {"schema": ..., "answers": [{"name": a definition of the schema, "path": ..., "answer": ...}]}. Unknown
fields are reported too: a reader may ignore them, but the schema must name them.
"""
import json
import sys

from jsonschema import Draft202012Validator


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        given = json.load(file)
    schema = given["schema"]
    Draft202012Validator.check_schema(schema)
    for definition in schema["$defs"].values():
        if "properties" in definition:
            definition["additionalProperties"] = False
    used = set()
    problems = 0
    for item in given["answers"]:
        used.add(item["name"])
        validator = Draft202012Validator({"$defs": schema["$defs"], "$ref": "#/$defs/" + item["name"]})
        for error in validator.iter_errors(item["answer"]):
            problems += 1
            print(f"{item['path']}: {error.json_path}: {error.message[:300]}")
    for reference in schema["anyOf"]:
        name = reference["$ref"].rsplit("/", 1)[1]
        if name not in used:
            problems += 1
            print(f"no answer of the kind {name} was checked")
    print(f"{len(given['answers'])} answers fit" if problems == 0 else f"{problems} problems")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
