//! Removes images while others search for them, and adds images to a collection that is in the database.

use std::time::{Duration, Instant};

use kaisatsu_store::{NewImage, Store};

use super::{
    NAME, answering,
    search::{Product, Search},
};
use crate::{
    Outcome,
    data::{self, Random},
};

/// Images of one change.
const CHANGE: usize = 100;

/// Removes images one after another, as the server does. Each is looked for by its own vector, before, and from three
/// other connections as soon as the removal has returned. Prints how often it was answered then.
pub(super) async fn remove(address: &str, count: usize) -> Outcome<()> {
    let store = Store::open(&address.parse()?).await?;
    let part = answering(&store).await?;
    let searches = [Product::open(address).await?, Product::open(address).await?, Product::open(address).await?];
    let step = (part.images / i64::try_from(count)?).max(1);
    let (mut found, mut asked, mut wrong, mut took) = (0, 0, 0, Duration::ZERO);
    for at in 0..count {
        let number = 1 + i64::try_from(at)? * step;
        let Some((_, vector)) = store.image_vectors(&[number]).await?.pop() else { continue };
        found += usize::from(searches[0].search(&vector).await?.contains(&number));
        let id = store.images(&[number]).await?.pop().ok_or("an image is missing")?.image_id;
        let began = Instant::now();
        store.remove_images(NAME, Some(&id)).await?;
        took += began.elapsed();
        let (one, two, three) =
            tokio::join!(searches[0].search(&vector), searches[1].search(&vector), searches[2].search(&vector));
        for answered in [one?, two?, three?] {
            asked += 1;
            wrong += usize::from(answered.contains(&number));
        }
    }
    let each = took.as_secs_f64() * 1_000.0 / count as f64;
    println!(
        r#"{{"removed":{count},"found_before":{found},"asked":{asked},"answered":{wrong},"remove_ms":{each:.2}}}"#
    );
    Ok(())
}

/// Stores images, and waits until a replica has brought them into the table that is searched.
pub(super) async fn add(address: &str, count: usize) -> Outcome<()> {
    let store = Store::open(&address.parse()?).await?;
    let dims = usize::try_from(answering(&store).await?.dims)?;
    let vectors = data::random(&mut Random::new(3), dims, count);
    let image = |(at, vector): (usize, &[f32])| NewImage {
        image_id: format!("added {at}"),
        image_url: String::new(),
        tag: String::new(),
        vector: vector.to_vec(),
        thumbnail: None,
    };
    let images: Vec<NewImage> = vectors.iter().enumerate().map(image).collect();
    let began = Instant::now();
    for some in images.chunks(CHANGE) {
        store.put_images(NAME, some).await?;
    }
    let revision = store.content_revision().await?;
    while answering(&store).await?.revision < revision {
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    println!(r#"{{"added":{count},"add_seconds":{:.2}}}"#, began.elapsed().as_secs_f64());
    Ok(())
}
