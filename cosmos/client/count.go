package client

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/Azure/azure-sdk-for-go/sdk/data/azcosmos"

	"inkfeed/cosmos/costs"
)

// CountItems returns the approximate number of items in the database. It reads the usage that the
// service reports for each container, which can be some minutes old, and none of the items.
func (d *Database) CountItems(ctx context.Context) (int, error) {
	total := 0
	for name := range d.containers {
		n, err := d.countItems(CountingItems.In(ctx), name)
		if err != nil {
			return 0, Translate(err)
		}
		total += n
	}
	return total, nil
}

// Items returns the approximate number of items in one container. See CountItems.
func (d *Database) Items(ctx context.Context, containerID string) (int, error) {
	items, err := d.countItems(CountingItems.In(ctx), containerID)
	return items, Translate(err)
}

// countItems returns the approximate number of items in a container, and 0 if there is no such
// container.
func (d *Database) countItems(ctx context.Context, name string) (int, error) {
	usage, err := d.usage(ctx, name)
	if err != nil || usage == "" {
		return 0, err
	}
	return usageOf(usage, "documentsCount")
}

// Sizes returns the approximate sizes of all containers by their names. See CountItems.
func (d *Database) Sizes(ctx context.Context) (map[string]costs.Size, error) {
	sizes := make(map[string]costs.Size, len(d.containers))
	for name := range d.containers {
		size, err := d.size(CountingItems.In(ctx), name)
		if err != nil {
			return nil, Translate(err)
		}
		sizes[name] = size
	}
	return sizes, nil
}

// size returns the approximate size of a container, and the zero value if there is no such container.
func (d *Database) size(ctx context.Context, name string) (costs.Size, error) {
	usage, err := d.usage(ctx, name)
	if err != nil || usage == "" {
		return costs.Size{}, err
	}
	items, err := usageOf(usage, "documentsCount")
	if err != nil {
		return costs.Size{}, err
	}
	kilobytes, err := usageOf(usage, "collectionSize")
	return costs.Size{Items: items, Bytes: int64(kilobytes) << 10}, err
}

// usage returns the usage that the service reports for a container, and "" if there is no such container.
func (d *Database) usage(ctx context.Context, name string) (string, error) {
	client, err := d.SDK.NewContainer(name)
	if err != nil {
		return "", err
	}
	resp, err := Returning(ctx, func() (azcosmos.ContainerResponse, error) {
		return client.Read(ctx, &azcosmos.ReadContainerOptions{PopulateQuotaInfo: true})
	})
	if NoContainer(err) {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	usage := resp.RawResponse.Header.Get("x-ms-resource-usage")
	if usage == "" {
		return "", fmt.Errorf("read the size of container %q: the answer has no usage", name)
	}
	return usage, nil
}

// usageOf returns a number of a container's usage, which is a list such as "documentsSize=12;documentsCount=34;". Sizes
// are in KB.
func usageOf(usage, name string) (int, error) {
	for part := range strings.SplitSeq(usage, ";") {
		if text, ok := strings.CutPrefix(strings.TrimSpace(part), name+"="); ok {
			return strconv.Atoi(text)
		}
	}
	return 0, fmt.Errorf("read the size of a container: its usage %q has no %s", usage, name)
}
