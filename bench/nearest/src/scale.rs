//! Large collections in PostgreSQL, for `scale.py`: loading one, searching it as the server does and by plain SQL,
//! removing images from it and adding some. Every command prints JSON.

mod changes;
mod load;
mod moving;
mod search;

use std::path::Path;

use kaisatsu_store::{Collection, PartState, Store, VectorPart};
use sqlx::{AssertSqlSafe, PgPool};

use crate::Outcome;

/// The collection that is measured.
const NAME: &str = "scale";

pub(crate) const USAGE: &str = "usage: bench-nearest scale load DIR COUNT DIMS
       bench-nearest scale move ADDRESS DIMS
       bench-nearest scale facts ADDRESS
       bench-nearest scale search ADDRESS DIR product|sql|rows CLIENTS
       bench-nearest scale remove ADDRESS COUNT
       bench-nearest scale add ADDRESS COUNT";

/// Runs one command.
pub(crate) fn run(arguments: &[&str]) -> Outcome<()> {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build()?;
    runtime.block_on(async {
        match arguments {
            ["load", dir, count, dims] => load::load(Path::new(dir), count.parse()?, dims.parse()?).await,
            ["move", address, dims] => moving::run(address, dims.parse()?).await,
            ["facts", address] => facts(address).await,
            ["search", address, dir, "product", clients] => {
                search::serve(search::Product::open(address).await?, Path::new(dir), clients.parse()?).await
            }
            ["search", address, dir, which @ ("sql" | "rows"), clients] => {
                let search = search::PlainSql::open(address, *which == "rows").await?;
                search::serve(search, Path::new(dir), clients.parse()?).await
            }
            ["remove", address, count] => changes::remove(address, count.parse()?).await,
            ["add", address, count] => changes::add(address, count.parse()?).await,
            _ => Err(USAGE.into()),
        }
    })
}

fn collection() -> Collection {
    Collection { name: NAME.into(), model: "general".into(), model_sha256: "measured".into() }
}

/// The part that answers.
async fn answering(store: &Store) -> Outcome<VectorPart> {
    let parts = store.vector_parts().await?;
    let answering = parts.into_iter().find(|part| part.state() == PartState::Answering);
    Ok(answering.ok_or("no part of the collection answers")?)
}

async fn table(pool: &PgPool) -> Outcome<String> {
    let number: i64 = sqlx::query_scalar("SELECT number FROM collection_part").fetch_one(pool).await?;
    Ok(format!("collection_vectors_{number}"))
}

/// How far the move is, how large everything is, and the process of the PostgreSQL server.
async fn facts(address: &str) -> Outcome<()> {
    let pool = PgPool::connect(address).await?;
    let part: Option<(String, i64, i64)> =
        sqlx::query_as("SELECT state, images, dims FROM collection_part").fetch_optional(&pool).await?;
    let folder: String = sqlx::query_scalar("SHOW data_directory").fetch_one(&pool).await?;
    let file = std::fs::read_to_string(Path::new(&folder).join("postmaster.pid"))?;
    let process = file.lines().next().unwrap_or_default();
    let Some((state, images, dims)) = part else {
        println!(r#"{{"state":"none","postgres":{process}}}"#);
        return Ok(());
    };
    let table = table(&pool).await?;
    let sizes = format!(
        "SELECT COALESCE(pg_relation_size(to_regclass('{table}_by_vector')), 0), \
         pg_total_relation_size('{table}'), pg_total_relation_size('collection_image')"
    );
    let (index, part, rows): (i64, i64, i64) = sqlx::query_as(AssertSqlSafe(sizes)).fetch_one(&pool).await?;
    println!(r#"{{"state":"{state}","images":{images},"dims":{dims},"index_bytes":{index},"part_bytes":{part},"#);
    println!(r#""row_bytes":{rows},"postgres":{process}}}"#);
    Ok(())
}
