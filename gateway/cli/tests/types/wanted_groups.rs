//! What the client uses of members, models, skills and the placement.

/// Each object and the fields of it that the client sets or reads.
pub const FIELDS: &[(&str, &[&str])] = &[
    // Requests.
    ("ModelChange", &["is_default"]),
    ("NewInvitation", &["role", "email", "expires_in_days"]),
    (
        "NewModel",
        &[
            "provider",
            "model",
            "base_url",
            "api_key",
            "context_tokens",
            "price",
            "is_default",
        ],
    ),
    ("NewRole", &["role"]),
    ("SetPlacement", &["target", "node_id"]),
    ("SkillText", &["title", "when_to_use", "tags", "body"]),
    // Answers.
    ("FreshInvitation", &["link", "role", "expires_at"]),
    ("Invitation", &["id", "role", "email", "expires_at"]),
    ("Member", &["user", "role", "joined_at", "you"]),
    (
        "ModelBinding",
        &[
            "id",
            "name",
            "model",
            "base_url",
            "has_key",
            "window_tokens",
            "price",
            "is_default",
        ],
    ),
    ("ModelPrice", &["input_microusd", "output_microusd"]),
    ("ModelTried", &["ok", "latency_ms", "text", "error"]),
    ("Models", &["items"]),
    ("Placement", &["node_id"]),
    (
        "Skill",
        &[
            "name",
            "title",
            "when_to_use",
            "tags",
            "current_version",
            "body",
        ],
    ),
    (
        "SkillBrief",
        &[
            "id",
            "name",
            "title",
            "tags",
            "foundation",
            "current_version",
            "updated_at",
        ],
    ),
];
