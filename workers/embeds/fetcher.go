package embeds

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"slices"
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
	SetEmbeds(ctx context.Context, postID string, revision int, cards embed.Cards) (stored bool, err error)
}

// Images stores the records of thumbnails.
type Images interface {
	picture.Records
	// KeepThumbnails deletes the other thumbnails of a post.
	KeepThumbnails(ctx context.Context, userID, postID string, names ...string) error
}

// Items stores when the embeds of posts are fetched.
type Items interface {
	// Postpone moves an item, and sets the number of its attempts. It reports false if the item has changed.
	Postpone(ctx context.Context, item domain.ScheduledItem, until time.Time, attempts int) (domain.ScheduledItem, bool,
		error)
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
	// lag is the age of an item at which a post that is still missing is gone. A replica may lag behind the item.
	lag = time.Minute
	day = 24 * time.Hour
)

// errDaily reports that an author has used up the embeds of a day.
var errDaily = errors.New("embeds: the author has used up the embeds of a day")

// pauses are the times after an attempt until the next. After the last one, what is missing is given up.
var pauses = []time.Duration{2 * time.Minute, 10 * time.Minute, time.Hour, 6 * time.Hour, 24 * time.Hour}

// Fetch makes an attempt at what is missing of a revision of a post. What could not be fetched is fetched by the next
// attempt. An attempt that was interrupted is repeated after its pause, since it has claimed the item until then.
func (f *Fetcher) Fetch(ctx context.Context, item domain.ScheduledItem) error {
	post, err := f.Posts.Latest(ctx, item.PostID)
	switch {
	case domain.Is(err, domain.NotFound) && time.Since(item.At) >= lag:
		return cmp.Or(f.Images.KeepThumbnails(ctx, item.UserID, item.PostID), err)
	case err != nil:
		return err
	case !post.Deleted.IsZero():
		return f.Images.KeepThumbnails(ctx, item.UserID, item.PostID)
	case post.Revision < item.Revision:
		return &domain.Error{Kind: domain.NotFound, Err: errors.New("embeds: the revision is not there yet")}
	case post.Revision != item.Revision || !post.Open():
		return f.drop(ctx, item, post)
	}
	if !f.slots.TryAcquire(1) {
		return &domain.Error{Kind: domain.Unavailable, Err: errors.New("embeds: all slots are taken")}
	}
	defer f.slots.Release(1)
	last := item.Attempts >= len(pauses)-1
	again := item.Attempts == 0
	retry := time.Now().Add(pauses[min(item.Attempts, len(pauses)-1)])
	item, claimed, err := f.Items.Postpone(ctx, item, retry, item.Attempts+1)
	if err != nil || !claimed {
		return err
	}
	revision, list := post.Embeds.Revision(), post.Embeds.List()
	var missing error
	if revision != post.Revision {
		list, missing = f.cards(ctx, post, again)
	}
	limited := errors.Is(missing, errDaily)
	done := missing == nil || last && !limited
	if done {
		revision = post.Revision // otherwise the post is listed again if it was hidden meanwhile
	}
	if revision != post.Embeds.Revision() || !slices.Equal(list, post.Embeds.List()) {
		stored, err := f.Posts.SetEmbeds(ctx, post.ID, post.Revision, embed.NewCards(revision, list))
		if err != nil || !stored {
			return err // the item comes back
		}
	}
	if err := f.keepThumbnails(ctx, post, list); err != nil {
		return err
	}
	switch {
	case done:
		return f.Items.Done(ctx, item)
	case limited: // a large import does not come back all at once
		tomorrow := time.Now().Truncate(day).Add(day + rand.N(day/4))
		_, _, err = f.Items.Postpone(ctx, item, tomorrow, item.Attempts-1)
		return err
	}
	return nil
}

// drop ends the work for an item without an attempt. A later change of the post makes an item of its own, which deletes
// what an interrupted attempt left, unless the post has no embeds any more.
func (f *Fetcher) drop(ctx context.Context, item domain.ScheduledItem, post domain.Post) error {
	if post.Revision != item.Revision && (post.Embeds != "" || len(embed.In(post.Content)) > 0) {
		return nil
	}
	return f.keepThumbnails(ctx, post, post.Embeds.List())
}

// keepThumbnails deletes the thumbnails of a post that none of its cards has.
func (f *Fetcher) keepThumbnails(ctx context.Context, post domain.Post, list []embed.Card) error {
	var names []string
	for _, c := range list {
		names = append(names, c.Picture)
	}
	return f.Images.KeepThumbnails(ctx, post.AuthorID, post.ID, names...)
}

// errMissing reports that something could not be fetched for a passing reason.
var errMissing = errors.New("embeds: something is missing")

// cards returns the cards of a post, and an error if something of them is missing: errDaily until the next day. It
// keeps the cards that the post has. The first attempt asks again about those of which nothing was told.
func (f *Fetcher) cards(ctx context.Context, post domain.Post, again bool) (list []embed.Card, missing error) {
	known := make(map[string]embed.Card)
	for _, c := range post.Embeds.List() {
		if !again || c != (embed.Card{Address: c.Address}) {
			known[c.Address] = c
		}
	}
	begin := time.Now()
	listed := make(map[string]bool)
	for _, e := range f.Markdown.Post(post.Content).Embeds {
		card, ok := known[e.Address]
		switch {
		case listed[e.Address] || e.About == "" || !ok && f.Settings().PlainEmbeds:
			continue
		case ok && !card.Again || f.Settings().PlainEmbeds:
		case errors.Is(missing, errDaily), time.Since(begin) > workTime:
			missing = cmp.Or(missing, errMissing)
		default:
			fetched, err := f.card(ctx, post, e)
			switch {
			case err == nil:
				card, ok = fetched, true
			case errors.Is(err, ErrRefused):
				card.Address, card.Again, ok = e.Address, false, true // as far as is known
			case errors.Is(err, errDaily):
				missing = errDaily
			default:
				missing = errMissing
			}
			if err != nil {
				f.Logger.Info("cannot fetch an embed", "post", post.ID, "reason", err)
			} else if card.Again {
				missing = errMissing
			}
		}
		if ok {
			listed[e.Address] = true
			list = append(list, card)
		}
	}
	return list, missing
}

// card fetches an embed. A card whose thumbnail is refused is complete, too.
func (f *Fetcher) card(ctx context.Context, post domain.Post, e embed.Embed) (embed.Card, error) {
	n, err := f.Counters.Add(ctx, fmt.Sprint("embeds ", post.AuthorID, time.Now().Unix()/86400), 1, day)
	if err == nil && n > maxDaily {
		err = errDaily
	}
	if err != nil {
		return embed.Card{}, err
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
		kind := domain.KindOf(err)
		card.Again = !errors.Is(err, ErrRefused) && (kind == domain.Unavailable || kind == domain.Internal)
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
	made, err := f.Maker.MakeThumbnail(ctx, "embed in "+post.ID, file)
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
