//! The node record as it is specified: a node's GPU use and its highest temperature stand on the node. The latest
//! heartbeat has a column for each number that rules name, and one JSON column for the rest.

use sea_orm_migration::{prelude::*, schema::*, sea_orm::DbBackend};

use crate::statements::Statements;

#[derive(DeriveMigrationName)]
pub struct Migration;

const LOADS: [&str; 3] = ["load1", "load5", "load15"];
const PERCENTAGES: [&str; 6] = [
    "cpu_pct",
    "cpu_some10",
    "memory_some10",
    "memory_full10",
    "io_some10",
    "io_full10",
];
const SIZES: [&str; 6] = [
    "memory_used_bytes",
    "memory_total_bytes",
    "swap_used_bytes",
    "swap_total_bytes",
    "disk_used_bytes",
    "disk_total_bytes",
];

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        // One column per statement: SQLite does not accept more.
        for name in ["gpu_pct", "temp_max"] {
            add(manager, "nodes", float_null(name)).await?;
        }
        for name in PERCENTAGES {
            add(manager, "node_health", float_null(name)).await?;
        }
        for name in LOADS {
            add(manager, "node_health", double_null(name)).await?;
        }
        for name in SIZES {
            add(manager, "node_health", big_integer_null(name)).await?;
        }
        add(manager, "node_health", integer_null("containers")).await?;
        add(manager, "node_health", json_binary_null("rest")).await?;
        let rename = Table::alter()
            .table("node_history")
            .rename_column("temp_max_c", "temp_max")
            .to_owned();
        manager.alter(rename).await?;
        // A machine that is away keeps its last numbers.
        for statement in moved(manager.get_database_backend()) {
            manager.run_sql(&statement).await?;
        }
        let drop = Table::alter()
            .table("node_health")
            .drop_column("sample")
            .to_owned();
        manager.alter(drop).await
    }
}

async fn add(
    manager: &SchemaManager<'_>,
    table: &'static str,
    mut column: ColumnDef,
) -> Result<(), DbErr> {
    let add = Table::alter()
        .table(table)
        .add_column(&mut column)
        .to_owned();
    manager.alter(add).await
}

/// The statements that move the numbers out of the old JSON column.
fn moved(backend: DbBackend) -> [String; 2] {
    let is_postgres = backend == DbBackend::Postgres;
    let read = |from: &str, path: &str, kind: &str| match is_postgres {
        true => format!("({from} ->> '{path}')::{kind}"),
        false => format!("{from} ->> '{path}'"),
    };
    let mut set = Vec::new();
    for name in LOADS {
        set.push(format!(
            "{name} = {}",
            read("sample", name, "double precision")
        ));
    }
    for name in PERCENTAGES {
        let from = match name.ends_with("10") {
            true => "(sample -> 'psi')",
            false => "sample",
        };
        set.push(format!("{name} = {}", read(from, name, "real")));
    }
    for name in SIZES {
        set.push(format!("{name} = {}", read("sample", name, "bigint")));
    }
    set.push(format!(
        "containers = {}",
        read("sample", "containers", "integer")
    ));
    set.push(match is_postgres {
        true => "rest = jsonb_build_object('cores', sample -> 'cores')".to_owned(),
        false => "rest = json_object('cores', sample ->> 'cores')".to_owned(),
    });
    let of_node = |name: &str, from: &str| {
        let value = read("h.sample", from, "real");
        format!("{name} = (SELECT {value} FROM node_health AS h WHERE h.node_id = nodes.id)")
    };
    let (gpu, temp) = (
        of_node("gpu_pct", "gpu_pct"),
        of_node("temp_max", "temp_max_c"),
    );
    [
        format!("UPDATE nodes SET {gpu}, {temp}"),
        format!("UPDATE node_health SET {}", set.join(", ")),
    ]
}
