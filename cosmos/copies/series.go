package copies

import (
	"context"
	"slices"
	"strings"

	"inkfeed/cosmos/client"
	"inkfeed/cosmos/schema"
	"inkfeed/domain"
)

// Series returns the listed posts of a user's series in order, without their text, from the user's own partition. It
// runs one query on the index of their places, and returns at most domain.MaxSeriesPosts.
func (u *UserCopies) Series(ctx context.Context, userID, key string) ([]domain.Summary, error) {
	return u.series(ctx, userID, key, titleProperties)
}

// NewestOfSeries returns the newest posts of a user's series, newest first. It reads the same posts as Series and sorts
// them by date: a feed has few readers that do not have its present version, so it needs no index of its own.
func (u *UserCopies) NewestOfSeries(ctx context.Context, userID, key string) ([]domain.Summary, error) {
	posts, err := u.series(ctx, userID, key, "*")
	slices.SortFunc(posts, domain.NewestFirst)
	return posts[:min(len(posts), domain.PostsPerPage)], err
}

func (u *UserCopies) series(ctx context.Context, userID, key, properties string) ([]domain.Summary, error) {
	from, to := domain.SeriesPlaces(key)
	rows, err := client.Query[PostCopy](client.Operation(ctx, "series"), u.c, userID,
		`SELECT TOP @limit `+properties+` FROM c WHERE c.type = 'post'
		 AND c.details.seriesPlace >= @from AND c.details.seriesPlace < @to ORDER BY c.details.seriesPlace`,
		client.Parameters{"limit": domain.MaxSeriesPosts, "from": from, "to": to})
	return Summaries(rows), client.Translate(err)
}

// WholeSeries returns the posts of a user's series that Series returns, and also those that appear in no list.
func (u *UserCopies) WholeSeries(ctx context.Context, userID, key string) ([]domain.Summary, error) {
	from, to := domain.SeriesPlaces(key)
	rows, err := client.Query[PostCopy](client.Operation(ctx, "whole-series"), u.c, userID,
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
	rows, err := client.Query[seriesRow](client.Operation(ctx, "all-series"), u.c, userID,
		`SELECT TOP @limit c.creationDate, c.details.series, c.details.seriesPlace FROM c
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
			last.Title, last.Newest = row.Series, created
		}
	}
	return all, client.Translate(err)
}

// seriesRow is the title of a series and the place of one of its posts.
type seriesRow struct {
	CreationDate *schema.Instant `json:"creationDate"`
	Series       string          `json:"series"`
	SeriesPlace  string          `json:"seriesPlace"`
}
