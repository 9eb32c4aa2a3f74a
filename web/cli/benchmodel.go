package cli

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"os"
	"strings"

	"inkfeed/cosmos"
	"inkfeed/cosmos/article"
	"inkfeed/cosmos/client"
	"inkfeed/cosmos/embedded"
	"inkfeed/domain/plaintext"
	"inkfeed/web/cli/config"
)

func setupBenchModel(c *config.Config) func(context.Context, output) error {
	var ranges int
	c.Bind(config.Flag("ranges", "2", config.Int(&ranges, 1, embedded.MaxRanges),
		"`number` of feed ranges (physical partitions) of each container to compare on"))
	c.BindStore()
	return func(ctx context.Context, out output) error {
		logger := slog.New(slog.NewTextHandler(out.stderr, &slog.HandlerOptions{Level: slog.LevelWarn}))
		store, closeStore, err := c.Open(ctx, cosmos.Options{Existing: true}, logger)
		if err != nil {
			return err
		}
		defer closeStore()
		reading, usage := client.WithUsage(client.Reads("bench-model").In(ctx))
		sample, err := article.ReadSample(reading, modelOf(store))
		if err != nil {
			return err
		}
		fmt.Fprintf(out.stderr, "Read a sample of %s for %.0f RU. Comparing the models on it.\n",
			plaintext.Count(len(sample.Entries), "post", "posts"), usage.Charge())
		rows, err := compareModels(ctx, sample, ranges)
		if err != nil {
			return err
		}
		return writeComparison(out.stdout, sample, rows, ranges)
	}
}

// modelOf returns the third version of the article's model over a store.
func modelOf(s *cosmos.Store) *article.V3 {
	return article.NewV3(s.Database, s.Accounts, s.Users, s.UserCopies, s.Posts, s.Feed)
}

// compareModels compares the versions of the article's model in a temporary database of the embedded engine.
func compareModels(ctx context.Context, sample article.Sample, ranges int) (rows []article.Row, err error) {
	dir, err := os.MkdirTemp("", "inkfeed-bench-model-")
	if err != nil {
		return nil, err
	}
	defer func() {
		if removed := os.RemoveAll(dir); err == nil {
			err = removed
		}
	}()
	engine, err := embedded.Open(dir, embedded.Options{Ranges: ranges})
	if err != nil {
		return nil, err
	}
	defer engine.Close()
	store, err := cosmos.Open(ctx, cosmos.Options{Endpoint: engine.Endpoint(), Key: engine.Key(), Transport: engine,
		Database: "bench-model"})
	if err != nil {
		return nil, err
	}
	defer store.Close()
	return article.Compare(ctx, sample, modelOf(store), ranges)
}

// writeComparison writes a comparison as a page of Markdown.
func writeComparison(w io.Writer, s article.Sample, rows []article.Row, ranges int) error {
	comments, likes := 0, 0
	for _, e := range s.Entries {
		comments, likes = comments+len(e.Comments), likes+len(e.Likes)
	}
	var b strings.Builder
	fmt.Fprintf(&b, "# The article's data models on this blog\n\n"+
		"The sample has %s with %s and %s by %s. Each container has %s. A cell has request units, and the number of "+
		"requests in brackets.\n\n",
		plaintext.Count(len(s.Entries), "post", "posts"), plaintext.Count(comments, "comment", "comments"),
		plaintext.Count(likes, "like", "likes"), plaintext.Count(len(s.Users), "user", "users"),
		plaintext.Count(ranges, "feed range", "feed ranges"))
	fmt.Fprintf(&b, "| | request | %s | V3's projection |\n| --- | --- |%s\n",
		strings.Join(article.Versions[:], " | "), strings.Repeat(" ---: |", len(article.Versions)+1))
	for _, r := range rows {
		fmt.Fprintf(&b, "| %s | %s |", r.Name, r.What)
		for _, cost := range r.Costs {
			fmt.Fprintf(&b, " %.2f (%d) |", cost.Charge, cost.Requests)
		}
		if r.Projection.Requests > 0 {
			fmt.Fprintf(&b, " %.2f (%d) |\n", r.Projection.Charge, r.Projection.Requests)
		} else {
			b.WriteString(" |\n")
		}
	}
	b.WriteString("\n- **V1** is normalised: usernames and counts are read item by item.\n" +
		"- **V2** copies usernames and counts into the posts. Lists still query every feed range.\n" +
		"- **V3** is Inkfeed's storage: each query reads one logical partition. **site** reads lists by pages " +
		"of 20.\n" +
		"- **V3's projection** is what the workers spend after such a write to update the copies of the post.\n" +
		"- Run it again with another number of --ranges to see which requests become more expensive as the blog " +
		"grows.\n")
	_, err := io.WriteString(w, b.String())
	return err
}
