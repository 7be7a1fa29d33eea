//! Searches for a while when told to on standard input, with several connections, and prints what each took.

use std::{
    io::{self, BufRead},
    path::Path,
    sync::Arc,
    time::{Duration, Instant},
};

use cosine_index::FewVectors;
use kaisatsu_store::{Store, VectorPart};
use sqlx::{AssertSqlSafe, PgPool, postgres::PgPoolOptions};

use super::{answering, table};
use crate::{K, Outcome, data::Vectors};

/// What the store's search asks an index for: candidates, and how many of them it keeps in sight.
const CANDIDATES: usize = K + 16;
const BEAM: usize = 120;

/// What an answer needs of an image.
const ROWS: &str = "SELECT number, image_id, image_url, tag FROM collection_image WHERE number = ANY($1)";

/// A way to search.
pub(super) trait Search: Send + Sync + 'static {
    /// The numbers of the nearest images, best first.
    fn search(&self, vector: &[f32]) -> impl Future<Output = Outcome<Vec<i64>>> + Send;
    /// The length of the vectors.
    fn dims(&self) -> usize;
}

/// As the server does it: candidates from the database, compared in full precision, and then the rows of the best.
pub(super) struct Product {
    store: Store,
    part: VectorPart,
}

impl Product {
    pub(super) async fn open(address: &str) -> Outcome<Self> {
        let store = Store::open(&address.parse()?).await?;
        let part = answering(&store).await?;
        Ok(Self { store, part })
    }
}

impl Search for Product {
    async fn search(&self, vector: &[f32]) -> Outcome<Vec<i64>> {
        let near = self.store.nearest_images(&self.part, vector, K).await?;
        let images = near.images.iter().map(|(number, vector)| (number.unsigned_abs(), vector));
        let found = FewVectors::new(vector.len(), images)?.nearest(vector, K)?;
        let numbers: Vec<i64> = found.iter().filter_map(|found| i64::try_from(found.id).ok()).collect();
        let mut records = match near.connection {
            Some(mut connection) => connection.images(&numbers).await?,
            None => self.store.images(&numbers).await?,
        };
        records.sort_by_key(|record| numbers.iter().position(|number| *number == record.number));
        Ok(records.into_iter().map(|record| record.number).collect())
    }

    fn dims(&self) -> usize {
        usize::try_from(self.part.dims).unwrap_or(0)
    }
}

/// The least that SQL can do: the numbers that the same index answers, in its order. Or what a program would do that
/// has to answer something: on the same connection, the rows of the best of them too.
pub(super) struct PlainSql {
    pool: PgPool,
    sql: String,
    dims: usize,
    with_rows: bool,
}

impl PlainSql {
    pub(super) async fn open(address: &str, with_rows: bool) -> Outcome<Self> {
        let settings = format!("SET hnsw.ef_search = {BEAM}");
        // A connection that is taken is not tried first: nothing is slower than it has to be.
        let pool =
            PgPoolOptions::new().max_connections(10).test_before_acquire(false).after_connect(move |connection, _| {
                let settings = settings.clone();
                Box::pin(async move { sqlx::raw_sql(AssertSqlSafe(settings)).execute(connection).await.map(drop) })
            });
        let pool = pool.connect(address).await?;
        let dims: i64 = sqlx::query_scalar("SELECT dims FROM collection_part").fetch_one(&pool).await?;
        let table = table(&pool).await?;
        let sql =
            format!("SELECT number FROM {table} ORDER BY vector <#> $1::real[]::halfvec({dims}) LIMIT {CANDIDATES}");
        Ok(Self { pool, sql, dims: usize::try_from(dims)?, with_rows })
    }
}

impl Search for PlainSql {
    async fn search(&self, vector: &[f32]) -> Outcome<Vec<i64>> {
        let sql = AssertSqlSafe(self.sql.clone());
        if !self.with_rows {
            let mut found: Vec<i64> = sqlx::query_scalar(sql).bind(vector).fetch_all(&self.pool).await?;
            found.truncate(K);
            return Ok(found);
        }
        let mut connection = self.pool.acquire().await?;
        let mut found: Vec<i64> = sqlx::query_scalar(sql).bind(vector).fetch_all(&mut *connection).await?;
        found.truncate(K);
        let rows: Vec<(i64, String, String, String)> =
            sqlx::query_as(ROWS).bind(&found).fetch_all(&mut *connection).await?;
        let mut found: Vec<i64> = rows.into_iter().map(|(number, ..)| number).collect();
        found.truncate(K);
        Ok(found)
    }

    fn dims(&self) -> usize {
        self.dims
    }
}

/// Reads lines: a number of seconds to search for, or `recall`. Ends with its standard input.
pub(super) async fn serve(search: impl Search, dir: &Path, clients: usize) -> Outcome<()> {
    let asked = Arc::new(Vectors::read(&dir.join("queries.f32"), search.dims())?);
    let truth = crate::stored_truth(dir)?;
    let search = Arc::new(search);
    println!("ready");
    for line in io::stdin().lock().lines() {
        let line = line?;
        if line == "recall" {
            println!("{:.4}", recall(&*search, &asked, &truth).await?);
            continue;
        }
        let (began, wanted) = (Instant::now(), Duration::from_secs_f64(line.parse()?));
        let running: Vec<_> = (0..clients)
            .map(|client| {
                let (search, asked) = (Arc::clone(&search), Arc::clone(&asked));
                tokio::spawn(async move { measure(&*search, &asked, client, began + wanted).await })
            })
            .collect();
        let mut took = Vec::new();
        for client in running {
            took.extend(client.await?.ok_or("a search failed")?);
        }
        let seconds = began.elapsed().as_secs_f64();
        println!(r#"{{"seconds":{seconds:.4},"microseconds":{took:?}}}"#);
    }
    Ok(())
}

/// Searches until a time, and returns the microseconds of each; none if one failed.
async fn measure(search: &impl Search, asked: &Vectors, client: usize, until: Instant) -> Option<Vec<u128>> {
    let mut took = Vec::new();
    // Each client begins elsewhere.
    for at in (client * 131..).map(|at| at % asked.len()) {
        let began = Instant::now();
        if began >= until {
            break;
        }
        search.search(&asked.values[at * asked.dims..(at + 1) * asked.dims]).await.ok()?;
        took.push(began.elapsed().as_micros());
    }
    Some(took)
}

async fn recall(search: &impl Search, asked: &Vectors, truth: &[u32]) -> Outcome<f64> {
    let mut hits = 0;
    for (query, best) in asked.iter().zip(truth.chunks(K)) {
        let found = search.search(query).await?;
        hits += best.iter().filter(|number| found.contains(&i64::from(**number))).count();
    }
    Ok(hits as f64 / truth.len() as f64)
}
