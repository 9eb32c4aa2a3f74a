package app

import (
	"context"
	"log/slog"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"inkfeed/cosmos/costs"
	"inkfeed/cosmos/embedded"
	"inkfeed/domain"
	"inkfeed/domain/siteinfo"
	"inkfeed/workers/loop"
)

// onAnIdleServer calls test with a server that has had no visitors for ten minutes, on an engine with one feed range
// for each container. The time is simulated.
func onAnIdleServer(t *testing.T, test func(t *testing.T, s *singleServer, engine *embedded.Engine)) {
	synctest.Test(t, func(t *testing.T) {
		engine := openEngine(t)
		s := newServerOn(t, engine, loop.NewActivity(time.Minute))
		s.author, s.reader = s.signUp(t, "ada"), s.signUp(t, "bob")
		ctx, stop := context.WithCancel(t.Context())
		wait := s.start(ctx, false)
		defer wait()
		var recording sync.WaitGroup
		defer recording.Wait()
		recording.Go(func() { s.store.Recorder.Run(ctx, s.store.Costs, slog.New(slog.DiscardHandler)) })
		defer stop()
		s.publish(t)
		time.Sleep(10 * time.Minute)
		test(t, s, engine)
	})
}

func TestAnIdleServerSpendsFewRequestUnits(t *testing.T) {
	onAnIdleServer(t, func(t *testing.T, s *singleServer, _ *embedded.Engine) {
		const charges = "inkfeed_cosmos_request_charge_total"
		before := s.read.byOperation(charges)
		const span = time.Hour // figures are stored every five minutes
		time.Sleep(span)
		after, sum := s.read.byOperation(charges), 0.0
		for _, operation := range slices.Sorted(maps.Keys(after)) {
			if spent := after[operation] - before[operation]; spent > 0 {
				t.Logf("%-20s %.3f RU/s", operation, spent/span.Seconds())
				sum += spent
			}
		}
		rate := sum / span.Seconds()
		t.Logf("in all %.2f RU/s", rate)
		if documented := costs.IdleRate; rate > documented || rate < documented-0.2 {
			t.Errorf("%.2f RU a second, but costs.IdleRate is %.2f", rate, documented)
		}
	})
}

func TestPagesAfterASilenceShowWhatOtherServersHaveWritten(t *testing.T) {
	for _, visit := range []string{"/", "/@ada", "/search?q=sourdough", "/tags/bread", "/feed.atom", "/sitemap.xml",
		"/@ada/feed.json"} {
		t.Run(visit, func(t *testing.T) {
			onAnIdleServer(t, func(t *testing.T, s *singleServer, engine *embedded.Engine) {
				s.body(visit) // fills the cache
				time.Sleep(20 * time.Minute)
				other := newServerOn(t, engine, nil)
				ctx, stop := context.WithCancel(t.Context())
				wait := other.start(ctx, false)
				defer wait()
				defer stop()
				renamed := domain.Settings{Info: siteinfo.Info{Name: "Renamed site"}}
				if _, err := other.store.Settings.Set(t.Context(), renamed); err != nil {
					t.Fatal(err)
				}
				post, err := domain.NewPost(s.author, "Sourdough", "Its text.", time.Now())
				if err == nil {
					post.Tags = "bread"
					err = other.store.Posts.Create(t.Context(), post)
				}
				if err != nil {
					t.Fatal(err)
				}
				time.Sleep(20 * time.Second) // the other server takes the leases and projects
				body := s.body(visit)
				if !strings.Contains(body, post.ID) {
					t.Errorf("the post is missing:\n%.2000s", body)
				}
				if !strings.Contains(visit, "sitemap") && !strings.Contains(body, "Renamed site") {
					t.Errorf("the site has its former name:\n%.2000s", body)
				}
			})
		})
	}
}

func (w *singleServer) body(path string) string {
	answer := httptest.NewRecorder()
	w.handler.ServeHTTP(answer, httptest.NewRequest(http.MethodGet, path, nil))
	return answer.Body.String()
}
