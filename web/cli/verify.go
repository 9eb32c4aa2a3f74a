package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/schollz/progressbar/v3"

	"inkfeed/cosmos"
	"inkfeed/cosmos/client"
	verification "inkfeed/cosmos/verify"
	"inkfeed/domain/markdown"
	"inkfeed/domain/plaintext"
	"inkfeed/web/cli/config"
	"inkfeed/web/ops"
	"inkfeed/web/pagecache"
	"inkfeed/workers/progress"
	"inkfeed/workers/projection"
)

func setupVerify(c *config.Config) func(context.Context, output) error {
	var wait bool
	c.Bind(config.Switch("wait", &wait,
		"let the workers catch up first; this takes up to a minute longer if a server on the account was killed, "+
			"because its leases must expire"))
	var pages verifyPages
	pages.bind(c)
	c.AddCheck(func() error {
		if wait && pages.addr != "" {
			return errors.New("--wait: cannot be used with --pages, which compares no copies")
		}
		return nil
	})
	c.BindStore()
	c.BindMedia()
	c.BindIntervals()
	return func(ctx context.Context, out output) error {
		if pages.addr != "" {
			return pages.run(ctx, out)
		}
		logger := slog.New(slog.NewTextHandler(out.stderr, &slog.HandlerOptions{Level: slog.LevelWarn}))
		store, closeStore, err := c.Open(ctx, cosmos.Options{Existing: true}, logger)
		if err != nil {
			return err
		}
		defer closeStore()
		if wait {
			if err := projection.CatchUp(ctx, store, c.Workers(logger), progress.Unknown, out.stderr); err != nil {
				return err
			}
		}
		return verify(ctx, store, out)
	}
}

// verify returns an error if there is a violation, so that scripts can check the exit status.
func verify(ctx context.Context, store *cosmos.Store, out output) error {
	start := time.Now()
	ctx, usage := client.WithUsage(ctx)
	bar, err := newItemsBar(ctx, store, out.stderr)
	if err != nil {
		return err
	}
	counts, err := verification.Verify(ctx, store.Database, markdown.New(), bar.set,
		func(v verification.Violation) { fmt.Fprintln(out.stdout, v) }, "posts", "users")
	if err := errors.Join(err, bar.Close()); err != nil {
		return err
	}
	if counts.Violations > 0 {
		return fmt.Errorf("%s in %s", plaintext.Count(counts.Violations, "violation", "violations"),
			plaintext.Count(counts.Items, "item", "items"))
	}
	fmt.Fprintf(out.stdout,
		"No violation in %s: every count, copy and name of %s and %s is correct. That took %s and %.0f RU.\n",
		plaintext.Count(counts.Items, "item", "items"), plaintext.Count(counts.Users, "user", "users"),
		plaintext.Count(counts.Posts, "post", "posts"), time.Since(start).Round(time.Second), usage.Charge())
	return nil
}

// itemsBar is a progress bar of the items that were read.
type itemsBar struct {
	*progressbar.ProgressBar
	total int // or progress.Unknown
}

func newItemsBar(ctx context.Context, store *cosmos.Store, w io.Writer) (*itemsBar, error) {
	total, err := store.CountItems(ctx)
	if total == 0 {
		total = progress.Unknown
	}
	return &itemsBar{progress.NewBar(w, int64(total), "items"), total}, err
}

// set sets the number of items. If necessary it raises the total, which can be outdated on an account.
func (b *itemsBar) set(items int) {
	if b.total != progress.Unknown && items > b.total {
		b.total = items
		b.ChangeMax(items)
	}
	b.Set(items)
}

// verifyPages is verify with --pages, which a running server carries out.
type verifyPages struct {
	addr string
	walk bool
	rate int
}

func (v *verifyPages) bind(c *config.Config) {
	c.Bind(
		config.Flag("pages", "", v.parseAddr,
			"have the server with this --ops-addr `host:port` render all cached pages again and compare them, "+
				"instead of checking copies"),
		config.Switch("walk", &v.walk, "with --pages: first request every page of the site, so that all are compared"),
		config.Flag("rate", "100", config.Int(&v.rate, 0, math.MaxInt),
			"with --pages: render at most this `number` of pages per second; 0: no limit"))
	c.AddCheck(func() error {
		switch {
		case v.addr == "" && v.walk:
			return errors.New("--walk: needs --pages")
		case v.addr == "" && c.Given("rate"):
			return errors.New("--rate: needs --pages")
		}
		return nil
	})
}

func (v *verifyPages) parseAddr(text string) error {
	v.addr = strings.TrimSuffix(strings.TrimPrefix(text, "http://"), "/")
	if v.addr == "" {
		return nil
	}
	return config.CheckAddr(v.addr)
}

// run returns an error if a page differs, so that scripts can check the exit status.
func (v verifyPages) run(ctx context.Context, out output) error {
	start := time.Now()
	form := url.Values{"walk": {strconv.FormatBool(v.walk)}, "rate": {strconv.Itoa(v.rate)}}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://"+v.addr+ops.VerifyPages,
		strings.NewReader(form.Encode()))
	if err != nil {
		return err
	}
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		why, _ := io.ReadAll(io.LimitReader(resp.Body, 1000))
		return fmt.Errorf("the server answers %s: %s", resp.Status, strings.TrimSpace(string(why)))
	}
	bar := progress.NewBar(out.stderr, progress.Unknown, "pages")
	var last pagecache.VerifyProgress
	wrong := 0
	for lines := json.NewDecoder(resp.Body); !last.Done; {
		last = pagecache.VerifyProgress{}
		if err := lines.Decode(&last); err != nil {
			return errors.Join(fmt.Errorf("lost the connection to the server: %w", err), bar.Close())
		}
		if last.Wrong != nil {
			wrong++
			fmt.Fprintln(out.stdout, last.Wrong)
		}
		if last.Total > 0 {
			bar.ChangeMax(last.Total)
			bar.Set(last.Compared)
		}
	}
	if err := bar.Close(); err != nil {
		return err
	}
	compared := plaintext.Count(last.Compared, "page", "pages")
	switch {
	case last.Error != "":
		return fmt.Errorf("after %s: %s", compared, last.Error)
	case wrong > 0:
		return fmt.Errorf("%d of %s wrong", wrong, compared)
	}
	fmt.Fprintf(out.stdout, "No difference in %s and other cache entries. That took %s.\n", compared,
		time.Since(start).Round(time.Second))
	return nil
}
