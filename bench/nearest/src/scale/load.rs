//! Fills an empty database with a collection, row by row as the store keeps it, and finds the true neighbours of some
//! queries on the way.

use std::{fs, path::Path, thread, time::Instant};

use kaisatsu_model::Timestamp;
use kaisatsu_store::Store;
use kaisatsu_testkit::{Backend, Database};
use sqlx::{Connection, PgConnection};

use super::{NAME, collection};
use crate::{
    K, Outcome,
    data::{Clusters, Random, Vectors},
};

/// Vectors that are made and sent at once.
const CHUNK: usize = 4_000;

/// Images of one change, as an import makes them.
const CHANGE: usize = 500;

/// Queries that are asked, and those of them whose true neighbours are known.
const QUERIES: usize = 1_000;
const JUDGED: usize = 100;

/// The K nearest vectors to a query so far, best first.
type Nearest = Vec<(f32, u32)>;

/// Makes clustered vectors, or takes those of `vectors.f32` and `queries.f32` if DIR has them.
pub(super) async fn load(dir: &Path, count: usize, dims: usize) -> Outcome<()> {
    let given = dir.join("vectors.f32").exists().then(|| Vectors::read(&dir.join("vectors.f32"), dims)).transpose()?;
    let count = given.as_ref().map_or(count, |given| given.len().min(count));
    let clusters = Clusters::new(&mut Random::new(1), dims, (count / 250).max(4));
    if given.is_none() {
        clusters.draw(&mut Random::new(2), QUERIES).write(&dir.join("queries.f32"))?;
    }
    let asked = Vectors::read(&dir.join("queries.f32"), dims)?;
    let database = Database::fresh(Backend::Postgres);
    let store = Store::open(&database.address.parse()?).await?;
    store.ensure_collection(&collection(), Timestamp(0)).await?;
    let before = store.content_revision().await?;
    let mut connection = PgConnection::connect(&database.address).await?;
    let began = Instant::now();
    let mut nearest: Vec<Nearest> = vec![Vec::new(); asked.len().min(JUDGED)];
    let statement = "COPY collection_image (collection, image_id, image_url, tag, vector, revision) FROM STDIN \
                     WITH (FORMAT binary)";
    let mut copy = connection.copy_in_raw(statement).await?;
    copy.send(&b"PGCOPY\n\xff\r\n\0\0\0\0\0\0\0\0\0"[..]).await?;
    for from in (0..count).step_by(CHUNK) {
        let some = CHUNK.min(count - from);
        let vectors = match &given {
            Some(given) => Vectors { dims, values: given.values[from * dims..(from + some) * dims].to_vec() },
            None => draw(&clusters, from, some, dims),
        };
        judge(&mut nearest, &asked, &vectors, from)?;
        let mut rows = Vec::with_capacity(some * (dims * 4 + 80));
        for (within, vector) in vectors.iter().enumerate() {
            let at = from + within;
            write_row(&mut rows, at, vector, before + 1 + i64::try_from(at / CHANGE)?)?;
        }
        copy.send(rows).await?;
    }
    copy.send(&(-1_i16).to_be_bytes()[..]).await?;
    copy.finish().await?;
    sqlx::query("UPDATE content_revision SET value = (SELECT MAX(revision) FROM collection_image)")
        .execute(&mut connection)
        .await?;
    sqlx::query("ANALYZE collection_image").execute(&mut connection).await?;
    // The numbers of the rows begin with 1.
    let truth: Vec<u8> = nearest.iter().flatten().flat_map(|(_, at)| (at + 1).to_le_bytes()).collect();
    fs::write(dir.join("truth.u32"), truth)?;
    let (address, seconds) = (&database.address, began.elapsed().as_secs_f64());
    println!(r#"{{"address":"{address}","count":{count},"load_seconds":{seconds:.1}}}"#);
    Ok(())
}

/// Vectors that depend on where they are in the collection, and not on how many threads make them.
fn draw(clusters: &Clusters, from: usize, count: usize, dims: usize) -> Vectors {
    let (halves, most) = (2, count.div_ceil(2));
    let drawn: Vec<Vectors> = thread::scope(|scope| {
        let half = |half: usize| {
            let seed = 1_000 + (from as u64) * 2 + half as u64;
            scope.spawn(move || clusters.draw(&mut Random::new(seed), most.min(count - half * most)))
        };
        let halves: Vec<_> = (0..halves).map(half).collect();
        halves.into_iter().filter_map(|half| half.join().ok()).collect()
    });
    Vectors { dims, values: drawn.into_iter().flat_map(|half| half.values).collect() }
}

fn judge(nearest: &mut [Nearest], asked: &Vectors, vectors: &Vectors, from: usize) -> Outcome<()> {
    let from = u32::try_from(from)?;
    let half = nearest.len().div_ceil(2).max(1);
    thread::scope(|scope| {
        for (nearest, asked) in nearest.chunks_mut(half).zip(asked.values.chunks(half * asked.dims)) {
            scope.spawn(move || {
                for (nearest, query) in nearest.iter_mut().zip(asked.chunks_exact(vectors.dims)) {
                    for (at, vector) in (from..).zip(vectors.iter()) {
                        let score = product(query, vector);
                        if nearest.len() < K || nearest.last().is_some_and(|(worst, _)| score > *worst) {
                            nearest.insert(nearest.partition_point(|(better, _)| *better >= score), (score, at));
                            nearest.truncate(K);
                        }
                    }
                }
            });
        }
    });
    Ok(())
}

/// In eight sums, which the compiler computes at once.
fn product(one: &[f32], other: &[f32]) -> f32 {
    let (ones, _) = one.as_chunks::<8>();
    let (others, _) = other.as_chunks::<8>();
    let mut sums = [0.0_f32; 8];
    for (one, other) in ones.iter().zip(others) {
        for ((sum, one), other) in sums.iter_mut().zip(one).zip(other) {
            *sum += one * other;
        }
    }
    sums.iter().sum()
}

/// A row in PostgreSQL's binary format: the number of fields, then each with its length.
fn write_row(rows: &mut Vec<u8>, at: usize, vector: &[f32], revision: i64) -> Outcome<()> {
    let vector: Vec<u8> = vector.iter().flat_map(|value| value.to_le_bytes()).collect();
    let (id, revision) = (format!("i{at}"), revision.to_be_bytes());
    let fields: [&[u8]; 6] = [NAME.as_bytes(), id.as_bytes(), b"", b"", &vector, &revision];
    rows.extend(i16::try_from(fields.len())?.to_be_bytes());
    for field in fields {
        rows.extend(i32::try_from(field.len())?.to_be_bytes());
        rows.extend(field);
    }
    Ok(())
}
