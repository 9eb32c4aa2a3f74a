package embedded_test

import (
	"testing"

	"github.com/Azure/azure-sdk-for-go/sdk/data/azcosmos"

	"inkfeed/cosmos/embedded"
)

func TestThroughputSettings(t *testing.T) {
	db := MustDatabase(t, MustOpen(t, t.TempDir(), embedded.Options{}))
	manual := azcosmos.NewManualThroughputProperties(400)
	_, err := db.CreateContainer(ctx, azcosmos.ContainerProperties{ID: "set",
		PartitionKeyDefinition: azcosmos.PartitionKeyDefinition{Paths: []string{"/pk"}}},
		&azcosmos.CreateContainerOptions{ThroughputProperties: &manual})
	wantStatus(t, err, 0)
	c, err := db.NewContainer("set")
	wantStatus(t, err, 0)

	t.Run("can be replaced", func(t *testing.T) {
		_, err := c.ReplaceThroughput(ctx, azcosmos.NewManualThroughputProperties(1000), nil)
		wantStatus(t, err, 0)
		r, err := c.ReadThroughput(ctx, nil)
		wantStatus(t, err, 0)
		if n, ok := r.ThroughputProperties.ManualThroughput(); !ok || n != 1000 {
			t.Errorf("got %d", n)
		}
	})
	t.Run("are 400 RU/s by default", func(t *testing.T) {
		r, err := MustContainer(t, db, nil, "/pk").ReadThroughput(ctx, nil)
		wantStatus(t, err, 0)
		if n, ok := r.ThroughputProperties.ManualThroughput(); !ok || n != 400 {
			t.Errorf("got %d", n)
		}
	})
	t.Run("are deleted with the container", func(t *testing.T) {
		_, err := c.Delete(ctx, nil)
		wantStatus(t, err, 0)
		_, err = db.CreateContainer(ctx, azcosmos.ContainerProperties{ID: "set",
			PartitionKeyDefinition: azcosmos.PartitionKeyDefinition{Paths: []string{"/pk"}}}, nil)
		wantStatus(t, err, 0)
		r, err := c.ReadThroughput(ctx, nil)
		wantStatus(t, err, 0)
		if n, ok := r.ThroughputProperties.ManualThroughput(); !ok || n != 400 {
			t.Errorf("the recreated container has %d", n)
		}
	})
}
