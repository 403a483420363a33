"""What a request says of the prompt besides messages and tools: variables of the template, how the chat ends.

Hugging Face's ``apply_chat_template`` takes a template's variables as arguments beside the messages. Servers
(vLLM, SGLang, llama.cpp) take them in chat_template_kwargs, and only few of them beside the messages.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from ..json_types import JsonMapping, JsonObject

_OF_TRANSFORMERS = frozenset(
    "tokenize padding max_length return_tensors return_dict return_assistant_tokens_mask tokenizer_kwargs "
    "sanitize_control_tokens".split()
)
"""Arguments of ``apply_chat_template`` that no template gets."""

_OF_MODEL = frozenset(
    "model models n best_of stream stream_options temperature top_p top_k top_a min_p typical_p max_tokens "
    "max_completion_tokens max_output_tokens max_new_tokens min_tokens max_tool_calls stop stop_sequences "
    "stop_token_ids seed logprobs top_logprobs prompt_logprobs logit_bias presence_penalty frequency_penalty "
    "repetition_penalty length_penalty use_beam_search ignore_eos echo reasoning.summary "
    # OpenAI, Mistral, Anthropic
    "modalities audio random_seed anthropic_version anthropic_beta "
    # llama.cpp, tools/server/README.md
    "n_predict n_keep n_probs n_indent typ_p top_n_sigma mirostat mirostat_tau mirostat_eta "
    "dynatemp_range dynatemp_exponent xtc_probability xtc_threshold repeat_penalty repeat_last_n "
    "dry_multiplier dry_base dry_allowed_length dry_penalty_last_n dry_sequence_breakers samplers min_keep "
    "post_sampling_probs t_max_predict_ms "
    # vLLM, SGLang
    "allowed_token_ids bad_words logits_processors custom_logit_processor stop_regex no_stop_trim".split()
)

_OF_SERVER = frozenset(
    "user safety_identifier prompt_cache_key prompt_cache_retention metadata store service_tier background "
    "include include_reasoning separate_reasoning stream_reasoning skip_special_tokens priority request_id "
    "include_stop_str_in_output spaces_between_special_tokens session_id cache_salt keep_alive options "
    "provider timeout extra_headers "
    "cache_prompt id_slot return_tokens timings_per_token return_progress parse_tool_calls reasoning_format "
    "lora lora_path return_token_ids return_tokens_as_token_ids return_hidden_states kv_transfer_params "
    "vllm_xargs data_parallel_rank bootstrap_host rid".split()
)

NOT_IN_PROMPT = _OF_TRANSFORMERS | _OF_MODEL | _OF_SERVER
"""Keys of requests that say nothing of the prompt."""

_ARGUMENTS = ("tools", "documents", "add_generation_prompt", "continue_final_message")
"""Arguments of ``apply_chat_template`` that may stand in chat_template_kwargs, too."""

_REFUSED = ("messages", "conversation", "conversations", "chat_template")
"""What chat_template_kwargs cannot replace."""

_NO_VARIABLES = frozenset("messages tools functions chat_template continue_final_message".split())
_TAKEN_BY_SERVERS = frozenset("documents add_generation_prompt reasoning_effort".split())


@dataclass(frozen=True)
class Settings:
    """What a request says of the prompt besides messages and tools.

    Attributes:
        variables: of the template, such as documents, enable_thinking and add_generation_prompt.
        beside_messages: those that the request has beside its messages, where servers do not take them.
        continues: the key of the last message's text that the model goes on with, such as content; or empty.
        template: the request's own, in Jinja's language.
        unused: keys and other parts of the request that no template gets.
    """

    variables: JsonMapping = field(default_factory=dict)
    beside_messages: Sequence[str] = ()
    continues: str = ""
    template: str | None = None
    unused: Sequence[str] = ()

    @property
    def opens_answer(self) -> bool:
        """Whether the assistant's answer is begun behind the messages: yes, unless the request says no."""
        return bool(self.variables.get("add_generation_prompt", not self.continues))


def take_keywords(request: JsonObject) -> JsonObject:
    """Take the template's variables out of a request's chat_template_kwargs; its other arguments stay.

    Raises:
        ValueError: it is no object, or holds what it must not; names the key.

    >>> request = {"messages": [], "chat_template_kwargs": {"enable_thinking": False, "documents": []}}
    >>> take_keywords(request), request
    ({'enable_thinking': False}, {'messages': [], 'documents': []})
    """
    keywords = request.pop("chat_template_kwargs", None) or {}
    if not isinstance(keywords, dict):
        raise ValueError('“chat_template_kwargs” has to be an object, such as {"enable_thinking": false}.')
    for key in keywords:
        if key in _REFUSED:
            raise ValueError(
                f"“chat_template_kwargs” cannot hold “{key}”: it is for the template’s variables."
            )
        if request.get(key) is not None and request[key] != keywords[key]:
            raise ValueError(
                f"“{key}” is in the request and in its “chat_template_kwargs”: remove one of them."
            )
    request |= {key: keywords[key] for key in _ARGUMENTS if key in keywords}
    return {key: value for key, value in keywords.items() if key not in _ARGUMENTS}


def read_settings(request: JsonMapping, keywords: JsonMapping, left_out: Sequence[str]) -> Settings:
    """The settings in a request.

    Args:
        request: with messages, as Chat Completions or ``apply_chat_template`` take it.
        keywords: the template's variables in its chat_template_kwargs.
        left_out: what else of it is not used.

    Raises:
        ValueError: a value is of another kind; names its key.

    >>> request = {"messages": [], "model": "m", "thinking_budget": 9}
    >>> settings = read_settings(request, {"enable_thinking": False}, [])
    >>> settings.variables, settings.beside_messages, settings.unused
    ({'thinking_budget': 9, 'enable_thinking': False}, ['thinking_budget'], ['model'])
    """
    variables: JsonObject = {}
    unused = [*left_out, *sorted(_OF_TRANSFORMERS & keywords.keys())]
    for key, value in request.items():
        if key in ("reasoning", "output_config") and isinstance(value, dict):  # OpenAI's, Anthropic's
            if value.get("effort"):
                variables["reasoning_effort"] = value["effort"]
            unused += [f"{key}.{inner}" for inner in value if inner != "effort"]
        elif key in NOT_IN_PROMPT or (key == "thinking" and isinstance(value, dict)):
            unused.append(key)
        elif key not in _NO_VARIABLES and value is not None:
            variables[key] = value
    beside_messages = [key for key in variables if key not in _TAKEN_BY_SERVERS]
    variables |= {key: value for key, value in keywords.items() if key not in _OF_TRANSFORMERS}

    documents = variables.get("documents", [])
    if not isinstance(documents, list) or not all(isinstance(each, dict) for each in documents):
        raise ValueError("“documents” has to be a list of objects, each with a title and a text.")
    opens = variables.get("add_generation_prompt")
    if not isinstance(opens, bool | None):
        raise ValueError("“add_generation_prompt” has to be true or false.")
    template = request.get("chat_template")
    if not isinstance(template, str | None):
        raise ValueError("“chat_template” has to be a text in Jinja’s language.")
    continues = _continued_key(request.get("continue_final_message"))
    if opens and continues:
        raise ValueError("“add_generation_prompt” and “continue_final_message” cannot both be true.")
    return Settings(variables, beside_messages, continues, template, unused)


def _continued_key(value: Any) -> str:
    """The key of the text that is continued, as ``continue_final_message`` names it; empty: none."""
    if isinstance(value, str):
        return value
    if not isinstance(value, bool | None):
        raise ValueError("“continue_final_message” has to be true, false, or a key of the last message.")
    return "content" if value else ""
