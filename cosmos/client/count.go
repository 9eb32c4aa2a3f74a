package client

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/Azure/azure-sdk-for-go/sdk/data/azcosmos"
)

// CountItems returns the approximate number of items in the database. It reads the usage that the
// service reports for each container, which can be some minutes old, and none of the items.
func (d *Database) CountItems(ctx context.Context) (int, error) {
	ctx = Operation(ctx, "count-items")
	total := 0
	for name := range d.containers {
		n, err := d.countItems(ctx, name)
		if err != nil {
			return 0, Translate(err)
		}
		total += n
	}
	return total, nil
}

// Items returns the approximate number of items in one container. See CountItems.
func (d *Database) Items(ctx context.Context, containerID string) (int, error) {
	items, err := d.countItems(Operation(ctx, "count-items"), containerID)
	return items, Translate(err)
}

// countItems returns the approximate number of items in a container, and 0 if there is no such
// container.
func (d *Database) countItems(ctx context.Context, name string) (int, error) {
	client, err := d.SDK.NewContainer(name)
	if err != nil {
		return 0, err
	}
	resp, err := Returning(ctx, func() (azcosmos.ContainerResponse, error) {
		return client.Read(ctx, &azcosmos.ReadContainerOptions{PopulateQuotaInfo: true})
	})
	if NoContainer(err) {
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	return documentsCount(resp.RawResponse.Header.Get("x-ms-resource-usage"))
}

// documentsCount returns the number of items in a container's usage, which is a list such as
// "documentsSize=12;documentsCount=34;".
func documentsCount(usage string) (int, error) {
	for part := range strings.SplitSeq(usage, ";") {
		if text, ok := strings.CutPrefix(strings.TrimSpace(part), "documentsCount="); ok {
			return strconv.Atoi(text)
		}
	}
	return 0, fmt.Errorf("count the items of a container: its usage %q has no documentsCount", usage)
}
