"""Approaches to targets that are scores: of models, prompts, pages; and what helps with any target."""

from __future__ import annotations

from reducers.policies.approaches import GENERAL, Kind, Strategy

__all__ = ["KINDS"]

MODEL_TRAINING = Kind(
    "model_training",
    "how well a model learns in a given time",
    (
        "val bpb",
        "bpb",
        "val loss",
        "loss",
        "perplexity",
        "accuracy",
        "train",
        "epoch",
        "f1",
        "auc",
        "bleu",
        "model",
    ),
    (
        Strategy(
            "learning-rate schedule",
            "high",
            "Peak rate, warm-up and decay matched to the budget; decay to near zero.",
            "The most sensitive setting there is, and the schedule depends on how long one trains.",
            ("learning rate", "lr", "schedule", "warmup", "warm up", "decay", "cosine"),
        ),
        Strategy(
            "optimiser",
            "high",
            "Another optimiser, its betas and epsilon, per-group rates.",
            "A better preconditioner means fewer steps.",
            ("optimi", "adam", "muon", "sgd", "beta", "lion"),
        ),
        Strategy(
            "more steps in the same time",
            "high",
            "Mixed precision, compiled kernels, fused attention, no idle accelerator.",
            "In a fixed time throughput is learning.",
            ("bf16", "compile", "fused", "flash", "precision", "throughput"),
        ),
        Strategy(
            "size against steps",
            "high",
            "Trade depth and width for steps, or the other way round.",
            "For each budget there is one best size.",
            ("depth", "width", "layers", "smaller model", "larger model", "size"),
        ),
        Strategy(
            "batch size",
            "medium",
            "Smaller for more updates, larger for less noise; scale the rate along.",
            "It sets the balance between noise and number of updates.",
            ("batch", "accumul"),
        ),
        Strategy(
            "architecture parts",
            "medium",
            "Normalisation, activation, position encoding, attention variants, skip connections.",
            "Single parts move the loss measurably at equal cost.",
            ("norm", "activation", "rope", "attention", "relu", "residual", "embedding"),
        ),
        Strategy(
            "data",
            "medium",
            "Order, filtering, packing, augmentation, tokens per example.",
            "What is seen in a short run matters more than how.",
            ("data", "augment", "packing", "token", "curriculum"),
        ),
        Strategy(
            "initialisation",
            "medium",
            "Scales by depth, zero-initialised outputs.",
            "Early steps are not spent on recovering.",
            ("init",),
        ),
        Strategy(
            "regularisation",
            "low",
            "Dropout, weight decay, label smoothing, averaging of weights.",
            "Matters once the model can overfit.",
            ("dropout", "weight decay", "smooth", "ema", "regulari"),
        ),
    ),
)

PROMPT_QUALITY = Kind(
    "prompt_quality",
    "how well a prompt or an agent does on an evaluation",
    (
        "prompt",
        "eval score",
        "pass rate",
        "pass at",
        "judge",
        "rubric",
        "llm",
        "exact match",
        "win rate",
        "evals",
    ),
    (
        Strategy(
            "read the failures",
            "high",
            "Group failing cases by cause and answer the largest group with one instruction.",
            "General polish misses what fails.",
            ("failure", "error analysis", "cluster", "cause"),
        ),
        Strategy(
            "worked examples",
            "high",
            "A few examples of the hard cases, in exactly the form wanted.",
            "Examples pin down what words leave open.",
            ("example", "few shot", "shot", "demonstration"),
        ),
        Strategy(
            "think before answering",
            "high",
            "Let it reason, plan or check before the final answer.",
            "Multi-step tasks need room for the steps.",
            ("reason", "step by step", "think", "chain", "plan"),
        ),
        Strategy(
            "exact output format",
            "high",
            "State the schema, give delimiters, show one valid instance.",
            "Many misses are parsing misses.",
            ("format", "schema", "json", "delimiter", "structure"),
        ),
        Strategy(
            "decompose",
            "medium",
            "Split into smaller calls, each with one job.",
            "One job a call leaves less to confuse.",
            ("decompos", "split", "pipeline", "two stage", "sub task"),
        ),
        Strategy(
            "context selection",
            "medium",
            "Give less but better material; the vital part first or last.",
            "Noise costs accuracy.",
            ("context", "retriev", "trim", "order", "shorter"),
        ),
        Strategy(
            "self-check",
            "medium",
            "Verify the answer against the criteria, then correct it; or vote over samples.",
            "Checking is easier than producing.",
            ("verify", "self", "critique", "vote", "consisten"),
        ),
        Strategy(
            "role and tone",
            "low",
            "A short role, positive rules in place of prohibitions.",
            "Small but cheap.",
            ("role", "tone", "persona"),
        ),
    ),
)

PAGE_SCORE = Kind(
    "page_score",
    "how well a web page scores or how fast it shows",
    (
        "lighthouse",
        "lcp",
        "fcp",
        "cls",
        "tbt",
        "inp",
        "web vitals",
        "page speed",
        "pagespeed",
        "performance score",
    ),
    (
        Strategy(
            "largest paint first",
            "high",
            "Preload the largest image or text, no lazy loading above the fold.",
            "It is what the score weighs most.",
            ("lcp", "preload", "hero", "priority"),
        ),
        Strategy(
            "less script before paint",
            "high",
            "Defer, split, or remove scripts; third parties after interaction.",
            "The main thread is blocked by parsing and running them.",
            ("defer", "async", "script", "split", "third party"),
        ),
        Strategy(
            "right-sized images",
            "high",
            "Modern formats, responsive sizes, explicit dimensions.",
            "Images are most of the bytes, and their absence of size shifts the layout.",
            ("image", "webp", "avif", "srcset", "dimension"),
        ),
        Strategy(
            "critical styles inline",
            "medium",
            "Inline what the first view needs, load the rest later.",
            "Style sheets block painting.",
            ("css", "critical", "inline", "style"),
        ),
        Strategy(
            "fonts that do not block",
            "medium",
            "Subset, preload, swap, or system fonts.",
            "Text waits for its font.",
            ("font",),
        ),
        Strategy(
            "caching and compression",
            "medium",
            "Long cache lifetimes, brotli, a closer server.",
            "Fewer and smaller transfers.",
            ("cache", "compress", "brotli", "cdn"),
        ),
        Strategy(
            "less markup",
            "low",
            "Fewer nodes, no hidden duplicates, content visibility.",
            "Layout grows with the tree.",
            ("dom", "markup", "node", "content visibility"),
        ),
    ),
)

ANY = Kind(
    GENERAL,
    "any target",
    (),
    (
        Strategy(
            "profile first",
            "high",
            "Measure where the metric comes from before changing anything.",
            "Guesses about the dominant part are usually wrong.",
            ("profil", "measure where", "breakdown"),
        ),
        Strategy(
            "remove work",
            "high",
            "Find the largest thing that need not be done at all.",
            "Nothing is cheaper than what is gone.",
            ("remove", "eliminate", "skip", "drop"),
        ),
        Strategy(
            "change the structure",
            "high",
            "Another algorithm, representation or division of labour.",
            "Parameters move a metric by per cents, structure by factors.",
            ("algorithm", "structure", "rewrite", "representation"),
        ),
        Strategy(
            "reuse results",
            "high",
            "Cache or precompute what is asked for again.",
            "Repeated work is the commonest waste.",
            ("cache", "memoi", "precomput", "reuse"),
        ),
        Strategy(
            "do it in bulk",
            "medium",
            "Batch small operations.",
            "Fixed costs are shared.",
            ("batch", "bulk", "group"),
        ),
        Strategy(
            "do it at the same time",
            "medium",
            "Overlap or parallelise independent parts.",
            "Waiting is the largest reserve.",
            ("parallel", "overlap", "concurren", "async"),
        ),
        Strategy(
            "combine what worked",
            "medium",
            "Extend the kept changes to their kin: the same idea at the next place.",
            "What helped once often helps next door.",
            ("extend", "combine", "also apply", "same idea"),
        ),
        Strategy(
            "tune parameters",
            "low",
            "Sweep sizes, thresholds and limits around their current values.",
            "The last per cents, once the structure stands.",
            ("tune", "sweep", "parameter", "threshold"),
        ),
    ),
)

KINDS = (MODEL_TRAINING, PROMPT_QUALITY, PAGE_SCORE, ANY)
"""The kinds of this module."""
