"""The tools of a chat: functions with a JSON schema of their parameters, and in TypeScript for harmony.

Source: OpenAI's harmony, src/encoding.rs, template_tools_section and json_schema_to_typescript.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from ..json_types import JsonMapping, JsonObject


def is_tool(tool: Any) -> bool:
    """Whether this is a tool: a function with a name and a JSON schema, as far as schemas are read here.

    >>> is_tool({"name": "now"}), is_tool({"name": "now", "parameters": {"properties": ["zone"]}})
    (True, False)
    >>> is_tool({"name": "now", "parameters": {"properties": {"zone": "string"}}})
    False
    """
    function = tool.get("function", tool) if isinstance(tool, dict) else None
    if not isinstance(function, dict) or not isinstance(function.get("name"), str):
        return False
    return _is_schema(function.get("parameters") or {})


def _is_schema(schema: Any) -> bool:
    if not isinstance(schema, dict):
        return False
    properties = schema.get("properties") or {}
    if not isinstance(properties, dict) or not isinstance(schema.get("enum") or [], list):
        return False
    inside = list(properties.values())
    if "items" in schema:
        inside.append(schema["items"])
    return all(map(_is_schema, inside))


def function_of(tool: JsonMapping) -> JsonObject:
    """The name, description and parameters of a tool, as OpenAI and Hugging Face have them.

    >>> function_of({"type": "function", "function": {"name": "now"}})
    {'name': 'now', 'description': '', 'parameters': None}
    """
    function = tool.get("function", tool)
    parameters = function.get("parameters")
    return {
        "name": function["name"],
        "description": str(function.get("description") or ""),
        "parameters": parameters if isinstance(parameters, dict) else None,
    }


def tools_in_typescript(tools: Sequence[JsonMapping]) -> str:
    """The section on tools of a developer message in harmony; empty: there are none.

    Raises:
        ValueError: a schema has ``oneOf``.

    >>> schema = {"type": "object", "properties": {"unit": {"type": "string", "enum": ["C", "F"]}}}
    >>> print(tools_in_typescript([{"name": "heat", "description": "How warm it is", "parameters": schema}]))
    # Tools
    <BLANKLINE>
    ## functions
    <BLANKLINE>
    namespace functions {
    <BLANKLINE>
    // How warm it is
    type heat = (_: {
    unit?: "C" | "F",
    }) => any;
    <BLANKLINE>
    } // namespace functions
    """
    if not tools:
        return ""
    lines = ["# Tools\n", "## functions\n", "namespace functions {\n"]
    for tool in tools:
        function = function_of(tool)
        about = function["description"].removesuffix("\n").replace("\r\n", "\n")
        if function["description"]:
            lines += [f"// {line}" for line in about.split("\n")]
        schema = function["parameters"]
        takes = "" if schema is None else f"_: {_typescript(schema, '')}"
        lines.append(f"type {function['name']} = ({takes}) => any;\n")
    lines.append("} // namespace functions")
    return "\n".join(lines)


_SIMPLE = {"number": "number", "integer": "number", "boolean": "boolean"}


def _typescript(schema: JsonMapping, indent: str) -> str:
    kind = schema.get("type")
    if "oneOf" in schema:
        raise ValueError("A tool's schema has oneOf, which is not counted here. Write its type without it.")
    if isinstance(kind, list) and kind:
        return " | ".join("number" if name == "integer" else str(name) for name in kind)
    if kind == "object":
        return _object(schema, indent)
    if kind == "string":
        names = [f'"{name}"' for name in schema.get("enum") or [] if isinstance(name, str)]
        return " | ".join(names) or "string"
    if kind == "array":
        return f"{_typescript(schema['items'], indent)}[]" if "items" in schema else "Array<any>"
    return _SIMPLE.get(str(kind), "any")


def _object(schema: JsonMapping, indent: str) -> str:
    required = schema.get("required")
    names = required if isinstance(required, list) else []
    properties: JsonObject = schema.get("properties") or {}
    lines = [_comment(schema, "description", indent), "{\n"]
    for name, value in properties.items():
        lines.append(_property(name, value, indent, is_required=name in names))
    lines += [indent, "}"]
    return "".join(lines)


def _property(name: str, schema: JsonMapping, indent: str, *, is_required: bool) -> str:
    """A property of an object, with comments on what it is."""
    title = _comment(schema, "title", indent)
    text = f"{title}{indent}//\n" if title else ""
    text += _comment(schema, "description", indent)
    examples = schema.get("examples")
    if isinstance(examples, list) and examples:
        text += f"{indent}// Examples:\n"
        for example in examples:
            if isinstance(example, str):
                text += f'{indent}// - "{example}"\n'
    kind = _typescript(schema, indent + "    ")
    if schema.get("nullable") is True and "null" not in kind:
        kind += " | null"
    mark = "" if is_required else "?"
    return f"{text}{indent}{name}{mark}: {kind},{_default(schema)}\n"


def _comment(schema: JsonMapping, key: str, indent: str) -> str:
    return f"{indent}// {schema[key]}\n" if isinstance(schema.get(key), str) else ""


def _default(schema: JsonMapping) -> str:
    if "default" not in schema:
        return ""
    value = schema["default"]
    if isinstance(value, str) and schema.get("enum"):
        default = value
    elif isinstance(value, str):
        default = f'"{value}"'
    else:
        default = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    return f" // default: {default}"
