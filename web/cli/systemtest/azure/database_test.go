package azure

import (
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"inkfeed/cosmos/client"
)

const (
	accounts   = "Microsoft.DocumentDB/databaseAccounts"
	databases  = accounts + "/sqlDatabases"
	containers = databases + "/containers"
)

func TestTheContainersAreThoseOfTheProgram(t *testing.T) {
	t.Run("the module is what inkfeed schema prints", func(t *testing.T) {
		committed, err := os.ReadFile(filepath.Join(project, "infra/modules/containers.bicep"))
		if err != nil {
			t.Fatal(err)
		}
		if string(committed) != schemaOutput(t, "bicep") {
			t.Error("docs/azure/infra/modules/containers.bicep is out of date: run make azure-schema")
		}
	})
	t.Run("each container is created as defined", func(t *testing.T) {
		created := evaluate(t, nil, nil).all(containers)
		defined := at(decoded(t, schemaOutput(t, "json")), "containers").([]any)
		if len(created) != len(defined) {
			t.Fatalf("%d containers are created, want %d", len(created), len(defined))
		}
		for i, c := range created {
			if got := at(c, "properties.resource"); !reflect.DeepEqual(got, defined[i]) {
				t.Errorf("created is %v, want %v", got, defined[i])
			}
			want(t, c, "name", at(defined[i], "id"))
		}
	})
}

func TestThroughput(t *testing.T) {
	d := evaluate(t, nil, nil)
	shared := 0
	var own []string
	for _, c := range d.all(containers) {
		options := at(c, "properties.options").(map[string]any)
		if len(options) == 0 {
			shared++
			continue
		}
		own = append(own, at(c, "name").(string))
		if maximum, _ := at(options, "autoscaleSettings.maxThroughput").(float64); maximum < 1000 {
			t.Errorf("%v scales up to %v RU/s, but the service allows no less than 1,000", at(c, "name"), maximum)
		}
	}
	if slices.Sort(own); !slices.Equal(own, []string{"posts", "tags", "users"}) {
		t.Errorf("%v have a throughput of their own, want posts, tags and users", own)
	}
	// "Provision throughput on a database", learn.microsoft.com: at most 25 containers share a throughput, of which
	// 400 RU/s are the least.
	if least, _ := at(d.one(t, databases), "properties.options.throughput").(float64); least < 400 || shared > 25 {
		t.Errorf("%d containers share %v RU/s", shared, least)
	}
}

func TestTheAccountSuitsTheProgram(t *testing.T) {
	eachVariant(t, func(t *testing.T, d deployment) {
		account := d.one(t, accounts)
		properties := at(account, "properties")
		document, err := json.Marshal(map[string]any{
			"userConsistencyPolicy":        at(properties, "consistencyPolicy"),
			"enableMultipleWriteLocations": at(properties, "enableMultipleWriteLocations")})
		if err != nil {
			t.Fatal(err)
		}
		if err := client.CheckAccount(document); err != nil {
			t.Errorf("inkfeed refuses the account: %v", err)
		}
		want(t, properties, "backupPolicy.type", "Continuous")
		want(t, properties, "locations.0.locationName", "westeurope")
		want(t, properties, "locations.0.failoverPriority", 0.0)
		want(t, properties, "enableAutomaticFailover", true)
	})
}

func TestNoAccountAcceptsKeys(t *testing.T) {
	eachVariant(t, func(t *testing.T, d deployment) {
		want(t, d.one(t, accounts), "properties.disableLocalAuth", true)
		want(t, d.one(t, "Microsoft.Storage/storageAccounts"), "properties.allowSharedKeyAccess", false)
		want(t, d.one(t, "Microsoft.Storage/storageAccounts"), "properties.allowBlobPublicAccess", false)
		want(t, d.one(t, "Microsoft.ContainerRegistry/registries"), "properties.adminUserEnabled", false)
		want(t, d.one(t, "Microsoft.KeyVault/vaults"), "properties.enableRbacAuthorization", true)
		want(t, d.one(t, "Microsoft.OperationalInsights/workspaces"), "properties.features.disableLocalAuth", true)
	})
	for _, path := range bicepFiles(t) {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for _, function := range []string{"listKeys", "listAccountSas", "listServiceSas", "listConnectionStrings"} {
			if strings.Contains(string(text), function) {
				t.Errorf("%s calls %s", path, function)
			}
		}
	}
}

// TestRoles lists the roles that each identity has, and where.
func TestRoles(t *testing.T) {
	names := map[string]string{
		"00000000-0000-0000-0000-000000000002": "Cosmos DB Built-in Data Contributor",
		"ba92f5b4-2d11-453d-a403-e96b0029c9fe": "Storage Blob Data Contributor",
		"4633458b-17de-408a-875c-0445a86db7d6": "Key Vault Secrets User",
		"b86a8fe4-44ce-4948-aee5-eccb2c155cd7": "Key Vault Secrets Officer",
		"7f951dda-4ed3-4680-a7ca-43fe172d538d": "AcrPull",
	}
	const app, operator = "<identity.properties.principalId>", "11111111-1111-1111-1111-111111111111"
	expected := map[string][]string{
		"the smallest": {
			app + ": AcrPull on <registry>",
			app + ": Cosmos DB Built-in Data Contributor on <account.id>/dbs/inkfeed",
			app + ": Key Vault Secrets User on <vault>",
			app + ": Storage Blob Data Contributor on <pictures>"},
	}
	expected["with everything"] = append([]string{
		operator + ": Cosmos DB Built-in Data Contributor on <account.id>/dbs/inkfeed",
		operator + ": Key Vault Secrets Officer on <vault>",
		operator + ": Storage Blob Data Contributor on <pictures>"}, expected["the smallest"]...)
	for variant, v := range variants {
		var got []string
		for _, r := range evaluate(t, v.infrastructure, v.app).resources {
			if !strings.HasSuffix(strings.ToLower(r.kind), "roleassignments") {
				continue
			}
			scope := at(r.body, "scope")
			if scope == nil {
				scope = at(r.body, "properties.scope")
			}
			for id, name := range names {
				if strings.Contains(sprint(at(r.body, "properties.roleDefinitionId")), id) {
					got = append(got, sprint(at(r.body, "properties.principalId"))+": "+name+" on "+sprint(scope))
				}
			}
		}
		slices.Sort(got)
		if !slices.Equal(got, expected[variant]) {
			t.Errorf("%s: the roles are\n%s\nwant\n%s", variant, strings.Join(got, "\n"),
				strings.Join(expected[variant], "\n"))
		}
	}
}

func TestPrivateEndpointsReplaceThePublicOnes(t *testing.T) {
	d := evaluate(t, map[string]any{"privateEndpoints": true}, nil)
	for _, kind := range []string{accounts, "Microsoft.Storage/storageAccounts", "Microsoft.KeyVault/vaults"} {
		want(t, d.one(t, kind), "properties.publicNetworkAccess", "Disabled")
		want(t, evaluate(t, nil, nil).one(t, kind), "properties.publicNetworkAccess", "Enabled")
	}
	var groups []string
	for _, e := range d.all("Microsoft.Network/privateEndpoints") {
		groups = append(groups, sprint(at(e, "properties.privateLinkServiceConnections.0.properties.groupIds.0")))
	}
	if slices.Sort(groups); !slices.Equal(groups, []string{"Sql", "blob", "vault"}) {
		t.Errorf("the private endpoints lead to %v", groups)
	}
	want(t, d.one(t, "Microsoft.App/managedEnvironments"), "properties.vnetConfiguration.infrastructureSubnetId",
		"<network.id>/subnets/apps")
}

// The service refuses to point an existing endpoint at another account.
func TestARestoredAccountGetsAPrivateEndpointOfItsOwn(t *testing.T) {
	name := func(account string) any {
		d := evaluate(t, map[string]any{"privateEndpoints": true, "cosmosAccount": account}, nil)
		for _, e := range d.all("Microsoft.Network/privateEndpoints") {
			if at(e, "properties.privateLinkServiceConnections.0.properties.groupIds.0") == "Sql" {
				return e["name"]
			}
		}
		t.Fatal("there is no private endpoint of a Cosmos DB account")
		return nil
	}
	if before, restored := name(""), name("restored"); before == restored {
		t.Errorf("the endpoints of both accounts have the name %v", before)
	}
}
