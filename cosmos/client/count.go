package client

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/Azure/azure-sdk-for-go/sdk/data/azcosmos"
)

// CountItems says about how many items the database holds. It reads none of them:
// it is what the containers say of themselves, which on an account can be some
// minutes old.
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

// Items says about how many items a container holds, as CountItems does for all.
func (d *Database) Items(ctx context.Context, containerID string) (int, error) {
	items, err := d.countItems(Operation(ctx, "count-items"), containerID)
	return items, Translate(err)
}

// countItems takes a container that is not there as empty.
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

// documentsCount reads the number of items from a container's usage, which is a
// list such as "documentsSize=12;documentsCount=34;".
func documentsCount(usage string) (int, error) {
	for part := range strings.SplitSeq(usage, ";") {
		if text, ok := strings.CutPrefix(strings.TrimSpace(part), "documentsCount="); ok {
			return strconv.Atoi(text)
		}
	}
	return 0, fmt.Errorf("a container's usage %q does not say how many items it has", usage)
}
