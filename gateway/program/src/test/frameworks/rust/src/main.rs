//! Reads of one row by its key, as sqlx for Rust writes them when nothing is configured.

use sqlx::mysql::MySqlPoolOptions;
use std::env::var;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let url = format!(
        "mysql://{}:{}@127.0.0.1:{}/frameworks",
        var("FRAMEWORKS_USER")?,
        var("FRAMEWORKS_PASSWORD")?,
        var("FRAMEWORKS_PORT")?
    );
    let pool = MySqlPoolOptions::new().max_connections(1).connect(&url).await?;
    let reads: usize = var("FRAMEWORKS_READS")?.parse()?;
    for _ in 0..reads {
        let (name,): (String,) = sqlx::query_as("SELECT name FROM item WHERE id = ?")
            .bind(5)
            .fetch_one(&pool)
            .await?;
        assert_eq!(name, "item 5");
    }
    let lock = include_str!("../Cargo.lock");
    let version = lock.split("name = \"sqlx\"\nversion = \"").nth(1).and_then(|rest| rest.split('"').next());
    println!("{}", version.unwrap_or_default());
    Ok(())
}
