# make check is the entry to the checks of each change. make check-all checks more, for longer. `go run .` and
# `go test ./...` need only Go. The browser tests need Chromium; the target race needs a C compiler; witness and bicep
# need Node.js and npm; pages needs Java, too.

SYSTEMTEST = ./web/cli/systemtest

.PHONY: azure-schema bicep bicep-types check check-all test exhaustive race race-all vet staticcheck load format generate generated tidy build program fuzz conformance witness pages contract bench bench-import requests configuration catalogues release capacity crash chaos mails lag bench-web

# The tests come last. Files that the other checks leave in the tree then do not make .ci/run, which
# ends with the tests, run them twice.
check: format vet staticcheck generated tidy program race crash conformance witness pages bicep test

# Checks everything that make check leaves out, too. It takes about an hour on two idle cores.
check-all: build check race-all fuzz exhaustive mails
	INKFEED_EXHAUSTIVE=1 $(MAKE) pages

# A package has more time than go test's ten minutes: on a busy machine the stories and storms take
# longer. .ci/run ends with the same command, whose results go test then has in its cache.
test:
	go test -timeout 30m ./...

# Runs the variants that the target test leaves out: all storms, each crash of the model, longer random sequences, each
# damage that a rebuild repairs, every malformed value in every field of a form; the stories on an account without its
# key; and a recipe of docs/CONTRIBUTING.md in a copy of the tree. Tests without variants do not run again.
exhaustive:
	INKFEED_TEST_WITHOUT_KEY=1 go test -timeout 30m $(SYSTEMTEST)/stories
	INKFEED_EXHAUSTIVE=1 go test -timeout 30m -run '$(VARIANTS)' ./cosmos ./domain/markdown ./domain/portable/formats \
		$(SYSTEMTEST)/storm $(SYSTEMTEST)/model $(SYSTEMTEST)/commands $(SYSTEMTEST)/structure ./web

VARIANTS = ^TestStorm|Crash|^TestRandomActions|^TestRebuildRepairs|^TestNoFormFails|^TestNoAddressFails|^TestContractOnSplitPages|LinearTime|^TestKilledServer|^TestTextsOfUsersNeverRunAsCode|^TestNoPageViolatesItsPolicies|^TestTheRecipe

# Tests the packages whose own code shares data between goroutines with the race detector. SQLite, a library that takes
# most of the time, is compiled without it. The target race-all adds the stores and the features of the site, whose
# goroutines are those of these packages. Tests whose requests follow one another are left out of both: the costs of the
# models, the contract on split pages (the contract on the engine runs), the deletions that stop, the expiry after years
# of simulated time, an hour of requests of one network, and the sweeps over all routes, pages and fields of the site.
RACE = go test -race -gcflags='modernc.org/...=-race=false' -timeout 30m -skip '$(WITHOUT_RACE)'
race:
	$(RACE) ./cosmos/dependency ./cosmos/client ./cosmos/changefeed ./cosmos/metering ./cosmos/media ./cosmos/embedded \
		./domain/throttle ./domain/names ./domain/importing/... ./workers/... ./web/site/... ./web/pagecache \
		./web/credential ./web/mail ./web/graceful ./web/ops ./web/inspector

race-all: race
	$(RACE) $$(go list ./cosmos/... ./web/... | grep -vE '/web/cli|/internal/(query|value)$$')

WITHOUT_RACE = ^(TestModels|TestContractOnSplitPages|TestMarkersAndTombstonesExpire|TestFeedIsRefilledWhereverADeletionStops|TestWhoMayDoWhat|TestNoFormFailsWhateverIsSent|TestNoAddressFailsWhateverItSays|TestNoRouteLogsASecret|TestNoTextIsUntranslated|TestFailuresRevealNoSecret|TestOneNetworkCostsABoundedNumberOfUnitsInAnHour)$$

# Kills the engine a hundred times at random points. Prints the seed.
crash:
	EMBEDDED_KILLS=100 go test -count=1 -v -run '^TestCrash$$' ./cosmos/embedded

# Runs two servers on one engine for CHAOS each: while storage calls fail, while one server is killed again and again,
# and while feed ranges are split. Then compares the database with a plain model while processes crash at each call.
# Prints the seeds.
CHAOS ?= 2m
chaos:
	INKFEED_CHAOS=$(CHAOS) go test -count=1 -v -p 1 -timeout 60m -run '^TestStorm|Crash|^TestRandomActions' $(SYSTEMTEST)/storm $(SYSTEMTEST)/model

# Kills the process that sends 10,000 mails to a mail server of npm a hundred times, and then one that mails a post to
# 10,000 subscribers, and counts what arrives. Prints the seeds. Then other programs read each kind of mail: see
# .ci/mail/read.mjs. Last, it measures what sending 100,000 mails costs, and mailing a post to 100,000 subscribers.
mails:
	cd .ci/mail && npm ci --no-audit --no-fund --ignore-scripts --silent
	INKFEED_TEST_SMTP_SERVER="node $(CURDIR)/.ci/mail/server.mjs" INKFEED_TEST_KILLS=100 INKFEED_TEST_MAILS=10000 \
		go test -count=1 -v -run '^TestKilled(Deliveries|Mailings)' -timeout 30m $(SYSTEMTEST)/deliveries
	folder=$$(mktemp -d) && INKFEED_TEST_MAIL_FOLDER=$$folder go test -count=1 -run '^TestEachKindOfMail' ./web/newsletter && \
		node .ci/mail/read.mjs $$folder && rm -r $$folder
	INKFEED_TEST_MAILS=100000 go test -run '^$$' -bench '^Benchmark(Deliveries|Mailing)$$' -benchtime 1x -timeout 60m \
		$(SYSTEMTEST)/deliveries

vet:
	go vet ./...

# Finds mistakes that the compiler accepts. The first run takes minutes.
staticcheck:
	go tool staticcheck ./...

format:
	@unformatted=$$(gofmt -l .); test -z "$$unformatted" || { echo "gofmt would change:" $$unformatted; exit 1; }

generate:
	go tool templ generate

# Checks that the committed views match their templates. They are committed so that a fresh clone compiles.
generated: generate
	@git diff --exit-code --stat -- '*_templ.go'
	@stray=$$(git ls-files --others --exclude-standard -- '*_templ.go'); \
		test -z "$$stray" || { echo "not committed:" $$stray; exit 1; }

tidy:
	go mod tidy -diff

# The static binary of releases and of the Dockerfile, for the system of GOOS and GOARCH. It has no symbols for
# debuggers. The tags leave out the help templates of urfave/cli and the trace pages of grpc, which this program does
# not use: text templates call methods by name, so with them the linker would keep every method.
BINARY = bin/inkfeed
build:
	CGO_ENABLED=0 go build -trimpath -tags urfave_cli_no_template,grpcnotrace -ldflags=-s -o "$(BINARY)" .

# The same program for the checks. Its packages are those that the tests compile.
program:
	go build -o "$(BINARY)" .

# Builds the current commit for six platforms in dist, with checksums and SBOMs. Builds each twice and compares.
release:
	.ci/release

# Runs the Go SDK's own tests for emulators against the engine, on port 8081.
conformance: bin/conformance
	bin/conformance azcosmos

# Runs checks with the current and an older JavaScript SDK against the engine. npm installs
# them into a temporary folder.
witness: bin/conformance
	bin/conformance javascript

# Runs the contract suite of package cosmos on the Cosmos DB account of COSMOS_ENDPOINT and
# COSMOS_KEY. It creates its own database and deletes it: see docs/engine.md.
contract:
	@test -n "$$COSMOS_ENDPOINT" && test -n "$$COSMOS_KEY$$INKFEED_TEST_DATABASE" || \
		{ echo "set COSMOS_ENDPOINT, and COSMOS_KEY or INKFEED_TEST_DATABASE"; exit 1; }
	go test -count=1 -v -timeout 60m -run '^TestContractOnAnAccount$$' ./cosmos

# Checks every type of page with axe-core, the Nu HTML checker and Lighthouse, and its weight: see
# .ci/pages/check.mjs. npm installs these tools there, in the versions of its lock file.
pages: program
	cd .ci/pages && npm ci --no-audit --no-fund --ignore-scripts --silent && node check.mjs ../../bin/inkfeed

# Checks the syntax of the Bicep files with tree-sitter's grammar. npm installs it in .ci/bicep, in the version of its
# lock file.
bicep:
	cd .ci/bicep && npm ci --no-audit --no-fund --ignore-scripts --silent && node check.mjs ../../docs/azure

# Writes the properties that the resources of docs/azure may have, from the SDKs of Azure. Run it after you add a
# property.
bicep-types:
	mkdir -p bin
	go run ./.ci/bicep/types > bin/types.json
	mv bin/types.json $(SYSTEMTEST)/azure/testdata/types.json

# Writes the catalogues from the texts in the code. It carries the translation of a changed text over, and lists it in
# domain/locale/review.json. It fails if a person has to write a plural form. See docs/translating.md.
catalogues: generate
	go test -count=1 -v -run '^TestCataloguesAreComplete$$' $(SYSTEMTEST)/structure -update-catalogues

# Writes the Bicep module of the containers from their definitions.
azure-schema:
	mkdir -p bin
	go run . schema --format bicep > bin/containers.bicep
	mv bin/containers.bicep docs/azure/infra/modules/containers.bicep

.PHONY: bin/conformance
bin/conformance: program
	go build -o $@ ./cosmos/embedded/internal/conformance

# Runs each fuzz target on FUZZTIME new inputs: a second or two each on two idle cores. `go test` runs the stored
# inputs. A count, not a duration, because a run that ends by its deadline may fail without a reason (golang/go#75804).
# Go would spend up to a minute on minimizing one input that reaches new code; here it tries ten smaller ones. Each
# package is linked once for all its targets.
FUZZTIME ?= 1000x
fuzz:
	@binary=$$(mktemp) && trap 'rm -f '$$binary EXIT && cache=$$(go env GOCACHE)/fuzz && \
	for folder in $$(grep -rlE --include='*_test.go' '^func Fuzz' . | xargs -n1 dirname | sort -u); do \
		package=$$(go list $$folder) && go test -c -fuzz . -o $$binary $$folder || exit 1; \
		for target in $$($$binary -test.list '^Fuzz'); do \
			echo "$$package $$target"; \
			(cd $$folder && $$binary -test.run '^$$' -test.fuzz "^$$target$$" -test.fuzztime $(FUZZTIME) \
				-test.fuzzminimizetime 10x -test.fuzzcachedir $$cache/$$package) || exit 1; \
		done; \
	done

# Measures what each request costs in each version of the model, beside the article's figures. Writes
# docs/request-costs.md, the table of pages in docs/data-model.md and the costs in docs/workers.md.
requests:
	go test -run '^$$' -bench Requests -benchtime 20x ./cosmos
	go test -count=1 -run 'TestModels|TestPages|TestTimelineModels' ./cosmos -update
	go test -count=1 -run TestDocumentedProjectionCostsAreCurrent $(SYSTEMTEST)/performance -update

# Writes the tables of docs/configuration.md from the declarations of the settings.
configuration:
	go test -count=1 -run TestTheDocumentationListsAllSettings ./web/cli -update

# Measures how many requests a second each version of the model serves, and writes docs/request-costs.md. Takes minutes.
capacity:
	go test -count=1 -v -run TestCapacity -timeout 30m ./cosmos -capacity -update

# Compares the engine's speed on a million items with SQLite alone and with a smaller database, in turns. Takes minutes.
# The ratios matter, not the times.
bench:
	go test -run '^$$' -bench Speed -benchtime 3000x -timeout 30m ./cosmos

# Measures how fast a blog is imported, and imported again unchanged. Takes some minutes.
IMPORT_POSTS ?= 2000
IMPORT_PICTURES ?= 1500
bench-import:
	INKFEED_IMPORT_POSTS=$(IMPORT_POSTS) INKFEED_IMPORT_PICTURES=$(IMPORT_PICTURES) \
		go test -run '^$$' -bench '^BenchmarkImport$$' -benchtime 1x -timeout 60m $(SYSTEMTEST)/performance

# Measures how long a new post takes to reach the feed, with two servers, with and without other requests.
lag:
	go test -run '^$$' -bench Lag -benchtime 300x -timeout 10m $(SYSTEMTEST)/performance

# Measures the throughput of readers beside slow clients and a flood of log-ins. Takes minutes, on an idle machine.
LOAD ?= 5s
load:
	INKFEED_LOAD=$(LOAD) go test -count=1 -v -run '^TestReadersKeepTheirThroughputUnderLoad$$' $(SYSTEMTEST)/performance

# Measures the figures of docs/performance.md and writes them there: pages beside a bare handler that gives the same
# answers, cold pages, reading beside writers, request units, memory. Takes some twelve minutes on an idle machine, and
# three more to make a million items unless INKFEED_PERFORMANCE_DATA names a folder that has them. SOAK is the length of
# the soak.
SOAK ?= 1m
bench-web:
	INKFEED_PERFORMANCE=1 INKFEED_PERFORMANCE_SOAK=$(SOAK) go test -count=1 -v -run '^TestPerformance$$' -timeout 60m $(SYSTEMTEST)/performance -update
