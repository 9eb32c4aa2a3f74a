package embeds

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"golang.org/x/sync/semaphore"

	"inkfeed/domain"
	"inkfeed/domain/embed"
	"inkfeed/domain/markdown"
	"inkfeed/domain/picture"
)

// Posts stores posts.
type Posts interface {
	Latest(ctx context.Context, postID string) (domain.Post, error)
	// SetEmbeds reports false if the post has another revision or was deleted.
	SetEmbeds(ctx context.Context, postID string, cards embed.Cards) (stored bool, err error)
}

// Images stores the records of thumbnails.
type Images interface {
	picture.Records
	// KeepThumbnails deletes the other thumbnails of a post.
	KeepThumbnails(ctx context.Context, userID, postID string, names ...string) error
}

// Items stores when the embeds of posts are fetched.
type Items interface {
	// Claim counts an attempt and postpones the item. It reports false if another instance was faster.
	Claim(ctx context.Context, item domain.ScheduledItem, until time.Time) (domain.ScheduledItem, bool, error)
	Done(ctx context.Context, item domain.ScheduledItem) error
}

// Counters counts events of all instances.
type Counters interface {
	Add(ctx context.Context, name string, n int, keep time.Duration) (int, error)
}

// Config is what a Fetcher works with.
type Config struct {
	Posts    Posts
	Images   Images
	Items    Items
	Counters Counters
	Files    picture.Files
	Maker    *picture.Maker
	Markdown *markdown.Renderer
	Client   *Client
	// Settings returns the settings of the site.
	Settings func() *domain.Settings
	Logger   *slog.Logger
}

// Fetcher fetches the embeds of posts.
type Fetcher struct {
	Config
	slots *semaphore.Weighted
}

// New returns a Fetcher.
func New(c Config) *Fetcher { return &Fetcher{c, semaphore.NewWeighted(maxFetchers)} }

const (
	// maxFetchers is the number of posts whose embeds are fetched at the same time.
	maxFetchers = 4
	// workTime is the time after which an attempt begins no other embed. It is shorter than the attempts of a
	// scheduler and than the first pause.
	workTime = 30 * time.Second
	// maxDaily is the number of embeds that are fetched for an author in a day.
	maxDaily = 200
)

// pauses are the times after an attempt until the next. After the last one, what is missing is given up.
var pauses = []time.Duration{2 * time.Minute, 10 * time.Minute, time.Hour, 6 * time.Hour, 24 * time.Hour}

// Fetch makes an attempt at what is missing of a revision of a post. What could not be fetched is fetched by the next
// attempt. An attempt that was interrupted is repeated after its pause, since it has claimed the item until then.
func (f *Fetcher) Fetch(ctx context.Context, item domain.ScheduledItem) error {
	post, err := f.Posts.Latest(ctx, item.PostID)
	switch {
	case domain.Is(err, domain.NotFound) || err == nil && !post.Deleted.IsZero():
		return f.Images.KeepThumbnails(ctx, item.UserID, item.PostID)
	case err != nil:
		return err
	case post.Revision != item.Revision || !post.Open():
		return nil // a later change of the post makes an item of its own
	}
	if err := f.slots.Acquire(ctx, 1); err != nil {
		return &domain.Error{Kind: domain.Unavailable, Err: err}
	}
	defer f.slots.Release(1)
	last := item.Attempts >= len(pauses)-1
	item, claimed, err := f.Items.Claim(ctx, item, time.Now().Add(pauses[min(item.Attempts, len(pauses)-1)]))
	if err != nil || !claimed {
		return err
	}
	list, complete := f.cards(ctx, post)
	var names []string
	for _, c := range list {
		names = append(names, c.Picture)
	}
	if cards := embed.NewCards(post.Revision, list); cards != post.Embeds {
		if stored, err := f.Posts.SetEmbeds(ctx, post.ID, cards); err != nil || !stored {
			return err // the item comes back
		}
	}
	if err := f.Images.KeepThumbnails(ctx, post.AuthorID, post.ID, names...); err != nil || !complete && !last {
		return err
	}
	return f.Items.Done(ctx, item)
}

// cards returns the cards of a post, and whether none is missing. It keeps the cards that the post has.
func (f *Fetcher) cards(ctx context.Context, post domain.Post) (list []embed.Card, complete bool) {
	known := make(map[string]embed.Card)
	for _, c := range post.Embeds.List() {
		known[c.Address] = c
	}
	begin := time.Now()
	listed := make(map[string]bool)
	complete = true
	for _, e := range f.Markdown.Post(post.Content).Embeds {
		card, ok := known[e.Address]
		switch {
		case listed[e.Address] || e.About == "" || !ok && f.Settings().PlainEmbeds:
			continue
		case !ok && time.Since(begin) > workTime:
			complete = false
			continue
		case !ok:
			var err error
			if card, err = f.card(ctx, post, e); err != nil {
				f.Logger.Info("cannot fetch an embed", "post", post.ID, "reason", err)
				if !errors.Is(err, ErrRefused) {
					complete = false
					continue
				}
				card = embed.Card{Address: e.Address} // as far as is known from the address
			}
		}
		listed[e.Address] = true
		list = append(list, card)
	}
	return list, complete
}

// card fetches an embed. Without a thumbnail the card is complete, too.
func (f *Fetcher) card(ctx context.Context, post domain.Post, e embed.Embed) (embed.Card, error) {
	n, err := f.Counters.Add(ctx, fmt.Sprint("embeds ", post.AuthorID, time.Now().Unix()/86400), 1, 24*time.Hour)
	if err != nil || n > maxDaily {
		return embed.Card{}, errors.Join(err, errors.New("the author has used up the embeds of a day"))
	}
	description, err := f.Client.get(ctx, e.About, maxDescription, e.Kind == embed.Code)
	if err != nil {
		return embed.Card{}, err
	}
	card, thumbnail, err := e.Read(description)
	if err != nil || thumbnail == "" {
		return card, refused(err)
	}
	card.Picture, err = f.thumbnail(ctx, post, thumbnail)
	if err != nil {
		f.Logger.Info("cannot fetch the thumbnail of an embed", "post", post.ID, "reason", err)
	}
	return card, nil
}

// thumbnail stores the picture at an address, within the space of the post's author, and returns its name.
func (f *Fetcher) thumbnail(ctx context.Context, post domain.Post, address string) (string, error) {
	file, err := f.Client.get(ctx, address, maxPicture, false)
	if err != nil {
		return "", err
	}
	// The name must differ from that of the same picture in another post, which may be deleted separately.
	made, err := f.Maker.Make(ctx, "embed in "+post.ID, file)
	if err != nil {
		return "", err
	}
	image, err := made.Save(ctx, f.Images, f.Files, domain.Image{UserID: post.AuthorID, PostID: post.ID})
	return image.Name.String(), err
}

// refused marks an error as final.
func refused(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%w: %w", ErrRefused, err)
}
