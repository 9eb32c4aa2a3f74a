package cosmos

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
func (s *Store) CountItems(ctx context.Context) (int, error) {
	ctx = operation(ctx, "count-items")
	total := 0
	for _, definition := range containerDefinitions() {
		n, err := s.countItems(ctx, definition.ID)
		if err != nil {
			return 0, translate(err)
		}
		total += n
	}
	return total, nil
}

// countItems takes a container that is not there as empty.
func (s *Store) countItems(ctx context.Context, name string) (int, error) {
	client, err := s.database.NewContainer(name)
	if err != nil {
		return 0, err
	}
	resp, err := returning(ctx, func() (azcosmos.ContainerResponse, error) {
		return client.Read(ctx, &azcosmos.ReadContainerOptions{PopulateQuotaInfo: true})
	})
	if noContainer(err) {
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
