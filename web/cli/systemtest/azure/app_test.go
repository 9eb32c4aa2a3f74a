package azure

import (
	"log/slog"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/goccy/go-yaml"
	"github.com/prometheus/client_golang/prometheus"

	"inkfeed/web/cli/config"
	"inkfeed/web/telemetry"
)

// releaseTime is the longest time that a stopping process needs after its last request: six seconds to release the
// leases, one to store the last request charges and one to export the last traces, and two for everything else.
const releaseTime = 10 * time.Second

// secrets are samples of the secrets in the vault.
var secrets = map[string]string{"session-keys": sessionKey, "smtp-url": "smtps://user:password@mail.example.org",
	"insights-connection": "InstrumentationKey=1"}

// variables returns the environment variables of the container.
func (d deployment) variables(t *testing.T) map[string]string {
	t.Helper()
	app := d.one(t, "Microsoft.App/containerApps")
	stored := make(map[string]string)
	for _, secret := range at(app, "properties.configuration.secrets").([]any) {
		name := sprint(at(secret, "name"))
		stored[name] = secrets[name]
		want(t, secret, "keyVaultUrl", "https://v.vault.azure.net/secrets/"+name)
	}
	env := make(map[string]string)
	for _, variable := range at(app, "properties.template.containers.0.env").([]any) {
		name := sprint(at(variable, "name"))
		if _, twice := env[name]; twice {
			t.Errorf("%s is set twice", name)
		}
		if secret := at(variable, "secretRef"); secret != nil {
			env[name] = stored[sprint(secret)]
		} else {
			env[name] = at(variable, "value").(string)
		}
	}
	return env
}

// load loads the settings of inkfeed serve from the environment variables of the container.
func load(t *testing.T, env map[string]string) (*config.Config, *config.Serve) {
	t.Helper()
	c := config.New(func(name string) string { return env[name] })
	serve := c.BindServe()
	if err := c.Load(nil); err != nil {
		t.Fatalf("inkfeed serve refuses its settings: %v", err)
	}
	return c, serve
}

func TestTheProgramAcceptsTheVariables(t *testing.T) {
	eachVariant(t, func(t *testing.T, d deployment) {
		env := d.variables(t)
		c, serve := load(t, env)
		if c.Embedded() || c.Key != "" || c.Database != d.outputs["COSMOS_DATABASE"] {
			t.Errorf("the database is %q of %q", c.Database, c.Endpoint)
		}
		if serve.URL != d.address {
			t.Errorf("the site is at %q, want %q", serve.URL, d.address)
		}
		if !strings.HasPrefix(env["INKFEED_BLOB_CONTAINER_URL"], "https://") ||
			strings.Contains(env["INKFEED_BLOB_CONTAINER_URL"], "?") {
			t.Errorf("the pictures are at %q, want an address without a signature", env["INKFEED_BLOB_CONTAINER_URL"])
		}
	})
}

// otherVariables are the variables that are no settings of Inkfeed's own, with the document that explains them.
var otherVariables = map[string]string{
	"AZURE_TOKEN_CREDENTIALS":     "docs/identity.md",
	"GOMEMLIMIT":                  "docs/dependencies.md",
	"OTEL_EXPORTER_OTLP_ENDPOINT": "docs/telemetry.md",
	"OTEL_METRICS_EXPORTER":       "docs/telemetry.md",
	"OTEL_SERVICE_NAME":           "docs/telemetry.md",
	"OTEL_TRACES_SAMPLER":         "docs/telemetry.md",
	"OTEL_TRACES_SAMPLER_ARG":     "docs/telemetry.md",
}

// leftOut are the settings of inkfeed serve that the container app does not set, with the reason.
var leftOut = map[string]string{
	"INKFEED_OPS_ADDR":                "the platform collects no Prometheus metrics",
	"INKFEED_OPS_HOSTS":               "names for INKFEED_OPS_ADDR",
	"INKFEED_PPROF":                   "profiles need INKFEED_OPS_ADDR",
	"INKFEED_LOG_LEVEL":               "the default suits",
	"INKFEED_HSTS":                    "the default suits",
	"INKFEED_RATE_LIMITS":             "the default suits",
	"INKFEED_SIGNUP_TIME":             "the default suits",
	"INKFEED_DELETION_GRACE":          "the default suits",
	"INKFEED_DATA":                    "the image sets it",
	"COSMOS_KEY":                      "the account accepts no keys",
	"COSMOS_INSECURE_TLS":             "the account has a certificate",
	"INKFEED_MEDIA":                   "pictures are in Blob Storage",
	"INKFEED_BLOB_CONTAINER":          "INKFEED_BLOB_CONTAINER_URL names the container",
	"AZURE_STORAGE_CONNECTION_STRING": "the account accepts no keys",
	"INKFEED_LEASE_ACQUIRE":           "the default suits",
	"INKFEED_LEASE_RENEW":             "the default suits",
	"INKFEED_LEASE_EXPIRATION":        "the default suits",
	"INKFEED_POLL":                    "the default suits",
	"INKFEED_SCHEDULE_POLL":           "the default suits",
	"INKFEED_MERGE_ABOVE":             "the default suits",
	"INKFEED_LAG_LIMIT":               "the default suits",
	"INKFEED_IDLE_AFTER":              "the default suits",
	"INKFEED_PRICES":                  "the default suits",
	"INKFEED_BOUNCE_ADDRESS":          "Azure Communication Services returns no mail",
	"INKFEED_BOUNCE_TOKEN":            "Azure Communication Services returns no mail",
	"INKFEED_DKIM_KEY":                "Azure Communication Services signs mails",
	"INKFEED_DKIM_SELECTOR":           "Azure Communication Services signs mails",
}

func TestEveryVariableIsSetOrLeftOutForAReason(t *testing.T) {
	v := variants["with everything"]
	env := evaluate(t, v.infrastructure, v.app).variables(t)
	c := config.New(func(string) string { return "" })
	c.BindServe()
	settings := make(map[string]bool)
	for _, s := range c.Settings {
		_, set := env[s.Variable]
		if settings[s.Variable] = true; s.Variable != "" && set == (leftOut[s.Variable] != "") {
			t.Errorf("%s: set by inkfeed.bicep: %t; reason to leave it out: %q", s.Variable, set, leftOut[s.Variable])
		}
	}
	for name := range leftOut {
		if !settings[name] {
			t.Errorf("%s is left out, but it is not a setting of inkfeed serve", name)
		}
	}
	for name := range env {
		if settings[name] {
			continue
		}
		text, err := os.ReadFile(otherVariables[name])
		if err != nil || !strings.Contains(string(text), name) {
			t.Errorf("%s is neither a setting of inkfeed serve, nor explained by %q", name, otherVariables[name])
		}
	}
}

func TestTheContainerApp(t *testing.T) {
	eachVariant(t, func(t *testing.T, d deployment) {
		app := d.one(t, "Microsoft.App/containerApps")
		container := at(app, "properties.template.containers.0")
		env := d.variables(t)
		_, serve := load(t, env)
		t.Run("stops within the grace period", func(t *testing.T) {
			grace := time.Duration(at(app, "properties.template.terminationGracePeriodSeconds").(float64)) * time.Second
			if needed := serve.Stopping.Drain + serve.Stopping.Finish + releaseTime; needed > grace {
				t.Errorf("stopping takes up to %s, but the platform waits for %s", needed, grace)
			}
		})
		t.Run("listens where the platform asks", func(t *testing.T) {
			port, err := strconv.Atoi(env["INKFEED_ADDR"][strings.LastIndex(env["INKFEED_ADDR"], ":")+1:])
			if err != nil {
				t.Fatal(err)
			}
			want(t, app, "properties.configuration.ingress.targetPort", float64(port))
			paths := map[string]string{"Startup": "/healthz", "Liveness": "/healthz", "Readiness": "/readyz"}
			for _, probe := range at(container, "probes").([]any) {
				kind := sprint(at(probe, "type"))
				want(t, probe, "httpGet.path", paths[kind])
				want(t, probe, "httpGet.port", float64(port))
				delete(paths, kind)
			}
			if len(paths) > 0 {
				t.Errorf("there is no probe of the type %v", paths)
			}
		})
		t.Run("has at least one replica, which keeps its visitors", func(t *testing.T) {
			if least, _ := at(app, "properties.template.scale.minReplicas").(float64); least < 1 {
				t.Errorf("the platform may stop all replicas: the least number is %v", least)
			}
			want(t, app, "properties.configuration.ingress.stickySessions.affinity", "sticky")
			want(t, app, "properties.configuration.activeRevisionsMode", "Single")
			want(t, app, "properties.configuration.ingress.allowInsecure", false)
		})
		t.Run("uses less memory than it has", func(t *testing.T) {
			const reader = 300 // MB of a process that reads an uploaded blog
			limit := megabytes(t, env["GOMEMLIMIT"])
			if has := megabytes(t, sprint(at(container, "resources.memory"))); limit > has-reader {
				t.Errorf("GOMEMLIMIT is %d MB of %d", limit, has)
			}
			if cache := int(serve.CacheBytes >> 20); cache > limit/2 {
				t.Errorf("the cache may take %d of %d MB", cache, limit)
			}
		})
	})
	t.Run("cannot be deployed without a replica", func(t *testing.T) {
		text, err := os.ReadFile(project + "/infra/inkfeed.bicep")
		if err != nil {
			t.Fatal(err)
		}
		least := parse("inkfeed.bicep", string(text)).parameters["minReplicas"].decorators["minValue"]
		if len(least) != 1 || least[0](nil) != 1.0 {
			t.Error("minReplicas may be 0")
		}
	})
}

// TestTheCollectorReceivesTraces compares the address to which Inkfeed sends traces with that of the collector.
func TestTheCollectorReceivesTraces(t *testing.T) {
	d := evaluate(t, nil, nil)
	collector := at(d.one(t, "Microsoft.App/containerApps"), "properties.template.containers.1")
	var file struct {
		Receivers struct {
			OTLP struct {
				Protocols map[string]struct{ Endpoint string }
			}
		}
		Service struct {
			Pipelines map[string]struct{ Receivers, Exporters []string }
		}
	}
	if err := yaml.Unmarshal([]byte(sprint(at(collector, "env.0.value"))), &file); err != nil {
		t.Fatal(err)
	}
	listens := "http://" + file.Receivers.OTLP.Protocols["http"].Endpoint // Inkfeed speaks OTLP by HTTP
	if sends := d.variables(t)["OTEL_EXPORTER_OTLP_ENDPOINT"]; sends != listens {
		t.Errorf("Inkfeed sends traces to %s, but the collector listens on %s", sends, listens)
	}
	traces := file.Service.Pipelines["traces"]
	if !slices.Equal(traces.Receivers, []string{"otlp"}) || !slices.Equal(traces.Exporters, []string{"azuremonitor"}) {
		t.Errorf("traces go from %v to %v", traces.Receivers, traces.Exporters)
	}
	for name, value := range d.variables(t) {
		if strings.HasPrefix(name, "OTEL_") {
			t.Setenv(name, value)
		}
	}
	exporters, err := telemetry.Start(t.Context(), "v1", prometheus.NewRegistry(), slog.New(slog.DiscardHandler))
	if err != nil || exporters.Traces == nil {
		t.Fatalf("Inkfeed exports the traces %v, error %v", exporters, err)
	}
	defer exporters.Stop(t.Context())
	want(t, collector, "args.0", "--config=env:"+sprint(at(collector, "env.0.name")))
	want(t, collector, "env.1.secretRef", "insights-connection")
}

// megabytes reads a size such as 900MiB or 1Gi.
func megabytes(t *testing.T, size string) int {
	t.Helper()
	match := regexp.MustCompile(`^(\d+)([MG])iB?$`).FindStringSubmatch(size)
	if match == nil {
		t.Fatalf("%q is not a size", size)
	}
	n, err := strconv.Atoi(match[1])
	if err != nil {
		t.Fatal(err)
	}
	if match[2] == "G" {
		n *= 1024
	}
	return n
}

// TestTheProbesAskRoutes looks the paths of the probes up in the table of routes, which another test compares with the
// router.
func TestTheProbesAskRoutes(t *testing.T) {
	routes, err := os.ReadFile("docs/routes.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{"/healthz", "/readyz"} {
		if !slices.Contains(strings.Split(string(routes), " "), "`"+path+"`") {
			t.Errorf("there is no route %s", path)
		}
	}
}
