package embedded_test

import (
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/Azure/azure-sdk-for-go/sdk/data/azcosmos"

	"inkfeed/cosmos/embedded"
)

func TestContainers(t *testing.T) {
	db := MustDatabase(t, MustOpen(t, t.TempDir(), embedded.Options{}))
	c := MustContainer(t, db, blogPolicy, "/postId")

	t.Run("get the default properties", func(t *testing.T) {
		r, err := c.Read(ctx, nil)
		wantStatus(t, err, 0)
		p := r.ContainerProperties
		if p.PartitionKeyDefinition.Version != 2 || p.ETag == nil || p.ResourceID == "" ||
			p.ConflictResolutionPolicy == nil ||
			len(p.IndexingPolicy.CompositeIndexes) != 1 || !p.IndexingPolicy.Automatic {
			t.Errorf("%+v", p)
		}
	})
	t.Run("cannot have a taken name", func(t *testing.T) {
		_, err := db.CreateContainer(ctx, azcosmos.ContainerProperties{ID: "items",
			PartitionKeyDefinition: azcosmos.PartitionKeyDefinition{Paths: []string{"/x"}}}, nil)
		wantStatus(t, err, 409)
	})
	t.Run("keep their partition key", func(t *testing.T) {
		_, err := c.Replace(ctx, azcosmos.ContainerProperties{ID: "items",
			PartitionKeyDefinition: azcosmos.PartitionKeyDefinition{Paths: []string{"/x"}, Version: 2}}, nil)
		wantStatus(t, err, 400)
	})
	t.Run("keep their unique keys", func(t *testing.T) {
		_, err := c.Replace(ctx, azcosmos.ContainerProperties{ID: "items",
			PartitionKeyDefinition: azcosmos.PartitionKeyDefinition{Paths: []string{"/postId"}, Version: 2},
			UniqueKeyPolicy: &azcosmos.UniqueKeyPolicy{UniqueKeys: []azcosmos.UniqueKey{
				{Paths: []string{"/n"}}}}}, nil)
		wantStatus(t, err, 403)
	})
	t.Run("apply a new index to existing items", func(t *testing.T) {
		for _, id := range []string{"b", "c", "a"} {
			MustCreate(t, c, key("p"), `{"id":"`+id+`","postId":"p","Rank":1,"rank":2}`)
		}
		const sql = "SELECT VALUE c.id FROM c ORDER BY c['rank'] DESC, c.id DESC"
		_, _, err := queryAll(c, key("p"), sql, 0)
		wantStatus(t, err, 400)
		props := azcosmos.ContainerProperties{ID: "items",
			PartitionKeyDefinition: azcosmos.PartitionKeyDefinition{Paths: []string{"/postId"}, Version: 2}}
		blogPolicy(&props)
		props.IndexingPolicy.IncludedPaths = append(props.IndexingPolicy.IncludedPaths,
			azcosmos.IncludedPath{Path: "/Rank/?"})
		props.IndexingPolicy.CompositeIndexes = append(props.IndexingPolicy.CompositeIndexes, []azcosmos.CompositeIndex{
			{Path: "/rank", Order: azcosmos.CompositeIndexAscending},
			{Path: "/id", Order: azcosmos.CompositeIndexAscending}})
		_, err = c.Replace(ctx, props, nil)
		wantStatus(t, err, 0)
		MustCreate(t, c, key("p"), `{"id":"0","postId":"p","rank":3}`)
		rows, _, err := queryAll(c, key("p"), sql, 0)
		if err != nil || !slices.Equal(rows, []string{`"0"`, `"c"`, `"b"`, `"a"`}) {
			t.Errorf("%v, %v", rows, err)
		}
		rows, _, err = queryAll(c, key("p"), "SELECT VALUE c.id FROM c WHERE c['Rank'] = 1 AND c['rank'] = 2", 0)
		if err != nil || len(rows) != 3 {
			t.Errorf("%v, %v", rows, err)
		}
	})
	t.Run("are listed by a query", func(t *testing.T) {
		page, err := db.NewQueryContainersPager("SELECT * FROM root r WHERE r.id = @id",
			&azcosmos.QueryContainersOptions{
				QueryParameters: []azcosmos.QueryParameter{{Name: "@id", Value: "items"}}}).NextPage(ctx)
		if err != nil || len(page.Containers) != 1 {
			t.Errorf("%+v, %v", page.Containers, err)
		}
	})
	t.Run("get a new rid when they are recreated", func(t *testing.T) {
		before, err := c.Read(ctx, nil)
		wantStatus(t, err, 0)
		_, err = c.Delete(ctx, nil)
		wantStatus(t, err, 0)
		_, err = c.ReadItem(ctx, key("p"), "a", nil)
		wantStatus(t, err, 404)
		MustContainer(t, db, nil, "/postId")
		after, err := c.Read(ctx, nil)
		if err != nil || after.ContainerProperties.ResourceID == before.ContainerProperties.ResourceID {
			t.Errorf("the recreated container has the same rid (%v)", err)
		}
		_, err = c.ReadItem(ctx, key("p"), "a", nil)
		wantStatus(t, err, 404)
	})
	t.Run("are deleted with their database", func(t *testing.T) {
		_, err := db.Delete(ctx, nil)
		wantStatus(t, err, 0)
		_, err = c.Read(ctx, nil)
		wantStatus(t, err, 404)
	})
	for name, p := range map[string]azcosmos.ContainerProperties{
		"no partition key": {ID: "x"},
		"bad name": {ID: "a/b",
			PartitionKeyDefinition: azcosmos.PartitionKeyDefinition{Paths: []string{"/pk"}}},
		"version 1": {ID: "x", PartitionKeyDefinition: azcosmos.PartitionKeyDefinition{Paths: []string{"/pk"},
			Version: 1}},
	} {
		t.Run("refused: "+name, func(t *testing.T) {
			_, err := MustDatabase(t, MustOpen(t, t.TempDir(), embedded.Options{})).CreateContainer(ctx, p, nil)
			wantStatus(t, err, 400)
		})
	}
}

// TestServeHTTP uses the engine over TLS.
func TestServeHTTP(t *testing.T) {
	e := MustOpen(t, t.TempDir(), embedded.Options{})
	server := httptest.NewTLSServer(e)
	defer server.Close()
	cred, err := azcosmos.NewKeyCredential(embedded.WellKnownKey)
	if err != nil {
		t.Fatal(err)
	}
	o := new(azcosmos.ClientOptions)
	o.Transport = server.Client()
	client, err := azcosmos.NewClientWithKey(server.URL+"/", cred, o)
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	if _, err := client.CreateDatabase(ctx, azcosmos.DatabaseProperties{ID: "db"}, nil); err != nil {
		t.Fatal(err)
	}
	db, err := client.NewDatabase("db")
	if err != nil {
		t.Fatal(err)
	}
	c := MustContainer(t, db, nil, "/pk")
	for _, id := range []string{"plain", "with space", "a?b", "日本"} {
		MustCreate(t, c, key("a"), `{"id":"`+id+`","pk":"a"}`)
		r, err := c.ReadItem(ctx, key("a"), id, nil)
		if err != nil || !strings.Contains(string(r.Value), id) {
			t.Errorf("%s: %s, %v", id, r.Value, err)
		}
		_, err = c.DeleteItem(ctx, key("a"), id, nil)
		wantStatus(t, err, 0)
	}
}
