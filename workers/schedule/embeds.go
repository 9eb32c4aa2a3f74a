package schedule

import (
	"context"

	"inkfeed/domain"
	"inkfeed/domain/locale"
)

// Embeds fetches the embeds of posts.
type Embeds interface {
	// Fetch makes an attempt and, unless it is the last one, postpones the item.
	Fetch(ctx context.Context, item domain.ScheduledItem) error
}

// NewEmbedder returns a scheduler that fetches the embeds of posts.
func NewEmbedder(items Items, embeds Embeds, o Options) *Scheduler {
	return newScheduler(Task{
		Name:    "fetch embeds",
		Items:   items,
		Run:     embeds.Fetch,
		Abandon: func(context.Context, domain.ScheduledItem, locale.Stored) error { return nil },
		metrics: o.Metrics.orUnregistered().embeds,
	}, o)
}
