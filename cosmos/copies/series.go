package copies

import (
	"context"
	"slices"
	"strings"

	"github.com/Azure/azure-sdk-for-go/sdk/data/azcosmos"

	"inkfeed/cosmos/client"
	"inkfeed/cosmos/schema"
	"inkfeed/domain"
)

// Series returns the listed posts of a user's series in order, without their text, from the user's own partition. It
// runs one query on the index of their places, and returns at most domain.MaxSeriesPosts.
func (u *UserCopies) Series(ctx context.Context, userID, key string) ([]domain.Summary, error) {
	from, to := domain.SeriesPlaces(key)
	rows, err := client.Query[PostCopy](client.Reads("series").In(ctx), u.c, userID,
		`SELECT TOP @limit `+titleProperties+` FROM c WHERE c.type = 'post'
		 AND c.details.seriesPlace >= @from AND c.details.seriesPlace < @to ORDER BY c.details.seriesPlace`,
		client.Parameters{"limit": domain.MaxSeriesPosts, "from": from, "to": to})
	return Summaries(rows), client.Translate(err)
}

// NewestOfSeries returns the newest posts of a user's series, newest first, also of a series that is longer than Series
// returns. It runs one query on the index of the user's posts by date.
func (u *UserCopies) NewestOfSeries(ctx context.Context, userID, key string) ([]domain.Summary, error) {
	from, to := domain.SeriesPlaces(key)
	rows, err := client.Query[PostCopy](client.Reads("newest-of-series").In(ctx), u.c, userID,
		`SELECT TOP @limit * FROM c WHERE c.type = 'post'
		 AND c.details.seriesPlace >= @from AND c.details.seriesPlace < @to
		 ORDER BY c.type DESC, c.creationDate DESC, c.id DESC`,
		client.Parameters{"limit": domain.PostsPerPage, "from": from, "to": to})
	return Summaries(rows), client.Translate(err)
}

// WholeSeries returns the posts of a user's series that Series returns, and also those that appear in no list,
// except for those in the trash.
func (u *UserCopies) WholeSeries(ctx context.Context, userID, key string) ([]domain.Summary, error) {
	from, to := domain.SeriesPlaces(key)
	rows, err := client.Query[PostCopy](client.Reads("whole-series").In(ctx), u.c, userID,
		`SELECT TOP @limit `+titleProperties+` FROM c
		 WHERE c.type IN ('post', 'unlisted-post', 'unpublished-post', 'hidden-post')
		 AND c.details.seriesPlace >= @from AND c.details.seriesPlace < @to ORDER BY c.details.seriesPlace`,
		client.Parameters{"limit": domain.MaxSeriesPosts, "from": from, "to": to})
	return Summaries(rows), client.Translate(err)
}

// maxSeriesRows limits the posts that AllSeries reads.
const maxSeriesRows = 2000

// AllSeries returns the series that a user's listed posts are in, by their keys. It runs one query in the user's own
// partition, for the titles only.
func (u *UserCopies) AllSeries(ctx context.Context, userID string) ([]domain.Series, error) {
	rows, err := client.Query[seriesRow](client.Reads("all-series").In(ctx), u.c, userID,
		`SELECT TOP @limit c.creationDate, c.details.series, c.details.seriesPlace, c.details.language
		 FROM c
		 WHERE c.type = 'post' AND c.details.seriesPlace > '' ORDER BY c.details.seriesPlace`,
		client.Parameters{"limit": maxSeriesRows})
	var all []domain.Series
	for _, row := range rows {
		key, _, _ := strings.Cut(row.SeriesPlace, "/")
		if n := len(all); n == 0 || all[n-1].Key != key {
			all = append(all, domain.Series{Key: key})
		}
		last := &all[len(all)-1]
		last.Posts++
		if created := row.CreationDate.Time(); created.After(last.Newest) {
			last.Title, last.Newest, last.Language = row.Series, created, row.Language
		}
	}
	return all, client.Translate(err)
}

// maxFormerSeries is the number of former addresses of series that a user keeps.
const maxFormerSeries = 20

// userSeries is the part of a user that concerns series.
type userSeries struct {
	DeletionDate *schema.Instant `json:"deletionDate"`
	// FormerSeries are the keys that the user's series had, the latest first.
	FormerSeries []formerSeries `json:"formerSeries"`
	ETag         string         `json:"_etag"`
}

// formerSeries is a former key of a series, and its present one.
type formerSeries struct {
	Key string `json:"key"`
	To  string `json:"to"`
}

// RenamedSeries returns the present key of a user's series that had a key, or "" if there is none. It is a point read.
// If that finds none, AllSeries is searched for a series whose key was another in an earlier release, or still is
// because no rebuild has run since.
func (u *UserCopies) RenamedSeries(ctx context.Context, userID, key string) (string, error) {
	user, err := client.Read[userSeries](renamingSeries.In(ctx), u.c, userID, userID)
	if err != nil {
		return "", client.Translate(err)
	}
	for _, f := range user.FormerSeries { // an earlier release may have stored them
		if to := domain.SeriesKey(f.To); domain.SeriesKey(f.Key) == key && to != key {
			return to, nil
		}
	}
	all, err := u.AllSeries(ctx, userID)
	for _, s := range all {
		if s.Key != key && domain.SeriesKey(s.Key) == s.Key &&
			(domain.FormerSeriesKey(s.Title) == key || domain.SeriesKey(s.Title) == key) {
			return s.Key, nil
		}
	}
	return "", err
}

// RecordRenamedSeries makes RenamedSeries return the key to for the key from, and for all keys that led to from. It
// forgets the oldest key if there are too many. Repeating it changes nothing.
func (u *UserCopies) RecordRenamedSeries(ctx context.Context, userID, from, to string) error {
	ctx = renamingSeries.In(ctx)
	return client.Rewrite(ctx, func() error {
		user, err := client.Read[userSeries](ctx, u.c, userID, userID)
		if err != nil {
			return client.Translate(err)
		}
		if user.DeletionDate != nil {
			return schema.ErrNoUser()
		}
		former := []formerSeries{{Key: from, To: to}}
		for _, f := range user.FormerSeries {
			if f.To == from {
				f.To = to
			}
			if f.Key != from && f.Key != to {
				former = append(former, f)
			}
		}
		if former = former[:min(len(former), maxFormerSeries)]; slices.Equal(former, user.FormerSeries) {
			return nil
		}
		var ops azcosmos.PatchOperations
		ops.AppendSet("/formerSeries", former)
		err = u.c.PatchVersion(ctx, userID, userID, user.ETag, ops)
		return client.Lost(client.Translate(err))
	})
}

// seriesRow is the title of a series and the place of one of its posts.
type seriesRow struct {
	CreationDate *schema.Instant `json:"creationDate"`
	Series       string          `json:"series"`
	SeriesPlace  string          `json:"seriesPlace"`
	Language     string          `json:"language"`
}
