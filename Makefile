# The commands of everyday work. The work itself is in deploy/*.sh, which say what they do.
.DEFAULT_GOAL := help
.PHONY: help run demo test ui image lint docs clean

help: ## this list
	@sed -n 's/^\([a-z]*\):[a-z ]*## /  make \1\t/p' Makefile | expand -t 14

run: ## install what is missing, build, and start Roost with this machine as its first node
	@deploy/run.sh

demo: ## watch a team of agents mend a failing test, without any key (MISSION=1: a mission of four phases)
	@ROOST_DEMO_MISSION=$(MISSION) deploy/demo.sh

test: ## every test, with a real PostgreSQL, container engine and browser
	@deploy/test.sh

ui: ## build the web page (gateway/ui/dist)
	@deploy/ui.sh build

image: ## build the agent images base and rust, and try their tools
	@deploy/agent-image/build.sh --recipe base --check
	@deploy/agent-image/build.sh --recipe rust --check

lint: ui ## formatting, clippy, dependencies
	cargo fmt --all --check
	cargo clippy --locked --workspace --all-targets --features roost-tests/figures -- -D warnings
	cargo deny check bans licenses sources

docs: ## the developers' documentation of every item
	RUSTDOCFLAGS="-D warnings" cargo doc --locked --workspace --no-deps --document-private-items

clean: ## what can be built again; your data in .roost/data stays
	cargo clean
	rm -rf gateway/ui/dist gateway/ui/node_modules .roost/log
