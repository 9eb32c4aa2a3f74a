package moderation

import (
	"context"
	"slices"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/data/azcosmos"

	"inkfeed/cosmos/client"
	"inkfeed/cosmos/schema"
	"inkfeed/domain"
	"inkfeed/domain/siteinfo"
)

// retiredTTL is how long a picture stays that the settings no longer name, in seconds.
const retiredTTL = int(24 * time.Hour / time.Second)

// sitePictureItem is a picture of the site. It is in the partition of the settings, so that both change together.
type sitePictureItem struct {
	ID    string `json:"id"`
	Type  string `json:"type"`
	Queue string `json:"queue"`
	Data  []byte `json:"data"`
}

// Picture returns the content of a picture of the site.
func (s *Settings) Picture(ctx context.Context, hash string) ([]byte, error) {
	ctx = client.Reads("site-picture").In(ctx)
	if !siteinfo.IsPictureHash(hash) {
		return nil, domain.NewError(domain.NotFound, "There is no such picture.")
	}
	item, err := client.Read[sitePictureItem](ctx, s.c, schema.SettingsQueue, schema.SitePictureID(hash))
	return item.Data, client.Translate(err)
}

// retiredPictures returns the hashes of pictures that the stored settings name and the new ones do not.
func retiredPictures(stored siteItem, now siteinfo.Info) (hashes []string) {
	used := now.PictureHashes()
	for _, hash := range siteinfo.Info(stored).PictureHashes() {
		if !slices.Contains(used, hash) && !slices.Contains(hashes, hash) {
			hashes = append(hashes, hash)
		}
	}
	return hashes
}

// write replaces the stored settings, writes pictures, and lets the retired ones expire.
func (s *Settings) write(ctx context.Context, stored settingsItem, settings domain.Settings,
	pictures []domain.SitePicture, retired []string) error {
	batch := s.c.Batch(schema.SettingsQueue)
	item := client.Encode(settingsItemOf(settings))
	if stored.ETag == "" {
		batch.CreateItem(item, nil)
	} else {
		batch.ReplaceItem(schema.SettingsQueue, item, client.IfMatch(stored.ETag))
	}
	for _, p := range pictures {
		batch.UpsertItem(client.Encode(sitePictureItem{ID: schema.SitePictureID(p.Hash), Type: schema.TypeSitePicture,
			Queue: schema.SettingsQueue, Data: p.Content}), nil)
	}
	for _, hash := range retired {
		var ops azcosmos.PatchOperations
		ops.AppendSet("/ttl", retiredTTL)
		batch.PatchItem(schema.SitePictureID(hash), ops, nil)
	}
	_, err := s.c.Execute(ctx, batch, false)
	return err
}
