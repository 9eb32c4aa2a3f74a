package costs_test

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/PuerkitoBio/goquery"

	"inkfeed/cosmos/client"
	"inkfeed/cosmos/costs"
	"inkfeed/cosmos/dependency"
	"inkfeed/cosmos/feeds"
	"inkfeed/domain"
	"inkfeed/web/webtest"
)

func TestMain(m *testing.M) { webtest.Main(m) }

// site returns a site and an administrator.
func site(t *testing.T) (*webtest.Site, *webtest.Visitor) {
	t.Helper()
	s := webtest.NewSite(t)
	return s, s.SignUpAs("anna", domain.RoleAdministrator)
}

// put stores a minute of the last hour in which Q3 takes 60 % of the request units.
func put(s *webtest.Site, partitions ...costs.Partition) {
	start := time.Now().UTC().Truncate(time.Minute).Add(-5 * time.Minute)
	q3 := costs.Figures{Requests: 500, Charge: 3660, Throttled: 4}
	q2 := costs.Figures{Requests: 2000, Charge: 2440}
	for range 100 {
		q3.Latency.Observe(20 * time.Millisecond)
		q2.Latency.Observe(2 * time.Millisecond)
	}
	s.Data.Must(s.Data.Store.Costs.Put(s.Data.Context(), costs.Interval{Span: costs.Hour, Begin: start,
		End: start.Add(time.Minute), Instance: "one", BusiestMinute: 6100.0 / 60, BusiestAt: start,
		Partitions: partitions, Unlisted: 122,
		Cache: costs.CacheFigures{Hits: 750, Requests: 1000},
		Figures: map[costs.Source]costs.Figures{{Operation: "Q3", Container: "users"}: q3,
			{Operation: "Q2", Container: "posts"}: q2}}))
}

func TestCostsOfTheLastHour(t *testing.T) {
	s, anna := site(t)
	p := anna.CreatePost("A title", "text")
	put(s, costs.Partition{PartitionRef: dependency.PartitionRef{Container: "posts", Key: p.ID}, Charge: 610,
		Excess: 61})
	page := anna.Get("/admin/costs").Want(200)
	for name, want := range map[string]string{"Request units": "6,100", "Busiest minute, RU/s": "102",
		"Refused with 429": "4", "Page cache hit rate": "75.0 %", "Measured processes": "1", "Requests": "2,500"} {
		var got string
		page.Page().Find(".key-figures div").Each(func(_ int, figure *goquery.Selection) {
			if figure.Find("dt").Text() == name {
				got = figure.Find("dd").Text()
			}
		})
		if got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
	page.Has("#advice-title ~ ul li", "Q3 (list a user's posts) takes 60 % of your request units")
	row := "section:has(#operations-title) tbody tr:first-child "
	page.Has(row+"th", "Q3").Has(row+"td:nth-of-type(1)", "61.0").Has(row+"td:nth-of-type(2)", "60.0 %")
	page.Has(row+"td:nth-of-type(5)", "7.3")
	page.Has(`section:has(#containers-title) tr:has(th:contains("posts")) td:nth-of-type(1)`, "40.7")
	page.Has("section:has(#partitions-title) tbody th a[href='/posts/"+p.ID+"']", p.ID)
	page.Has("section:has(#partitions-title) tbody td:nth-of-type(3)", "10.0 %")
	page.Has("section:has(#partitions-title) tbody td:nth-of-type(4)", "1.0 %")
	page.Has("section:has(#partitions-title) tbody td:nth-of-type(5)", "0.0 %")
	page.Has("#bill-title + p", "If all 730 hours of a month were like the measured 1 minute")
	if n := page.Page().Find(".chart svg path").Length(); n != 6 {
		t.Errorf("the charts have %d lines, want 6", n)
	}
	page.HasNo("[style], style, main script")
	anna.Get("/admin/costs?span=day").Has("nav.tabs + p", "Nothing has been measured")
	anna.Get("/admin/costs?span=year").Want(404)
}

func TestCostsOfTheEmbeddedEngineAreThoseOfAzure(t *testing.T) {
	s, anna := site(t)
	anna.Get("/admin/costs").Has("main [role=note]", "You pay nothing: this site stores its data itself. "+
		"The figures are what Azure would charge.")
	put(s)
	anna.Get("/admin/costs").Has("main [role=note]", "On Azure this would be 17.52 USD a month, "+
		"if all of it were like the measured 1 minute.")
	c := webtest.Config(s.Data, s.Log, webtest.KeyOne)
	c.Embedded = false
	s.Restart(c)
	anna.Get("/admin/costs").HasNo("main [role=note]")
}

// TestIntervalsAreReadFromOneLogicalPartition in cosmos/metering shows that the request reads one logical partition.
func TestPageReadsTheFiguresWithOneRequest(t *testing.T) {
	s, anna := site(t)
	put(s)
	before := s.Data.Calls("Costs.Intervals")
	anna.Get("/admin/costs").Want(200)
	if n := s.Data.Calls("Costs.Intervals") - before; n != 1 {
		t.Errorf("the page takes %d requests for the figures, want 1", n)
	}
}

func TestStateOfTheWorkersIsOnThePageOfCosts(t *testing.T) {
	s, anna := site(t)
	ctx := s.Data.Context()
	s.Data.Lags = []costs.RangeLag{
		{Processor: "posts", Range: "00-7F", Owner: "web-1", Transactions: 12, Age: 3 * time.Minute, End: 100},
		{Processor: "posts", Range: "7F-FF", Owner: "web-2", End: 90},
		{Processor: "rebuild.users", Range: "00-FF", Owner: "console", Transactions: 25, Age: time.Hour, End: 100},
	}
	s.Data.Tailers = []costs.Tailer{{Name: "search", CatchingUp: 2 * time.Minute}}
	ben := s.SignUp("ben")
	s.Data.Must(s.Data.Store.ImportJobs.PutEntry(ctx, domain.ImportJob{UserID: ben.User.ID}))
	_, err := s.Data.Store.ImportJobs.Put(ctx, domain.ImportJob{ID: domain.NewID(), UserID: ben.User.ID,
		State: domain.ImportRunning, Created: time.Now(), Progress: domain.ImportProgress{Posts: 30, Of: 120}})
	s.Data.Must(err)
	s.Data.Must(s.Data.Store.ScheduledDeletions.Put(ctx, domain.ScheduledItem{UserID: ben.User.ID,
		At: time.Now().Add(50 * time.Hour)}))
	s.Data.Must(s.Data.Store.DeadLetters.Put(ctx, feeds.DeadLetter{Processor: "posts",
		Item: feeds.ItemRef{PartitionKey: "p", ID: "p"}, Error: "broken"}))

	news := domain.NewsDelivery(domain.TimelineEntry{Source: domain.AuthorSource(ben.User.ID), PostID: domain.NewID(),
		AuthorID: ben.User.ID, Created: time.Now()}, 1, time.Now().Add(-3*time.Minute))
	s.Data.Must(s.Data.Store.Deliveries.Put(ctx, news))
	queue, err := s.Data.Store.Deliveries.Destination(ctx, news.Destination)
	s.Data.Must(err)
	_, err = s.Data.Store.Deliveries.Claim(ctx, queue, "another server")
	s.Data.Must(err)

	page := anna.Get("/admin/costs").Want(200)
	feeds := "section:has(#feeds-title) "
	for n, want := range []string{"00-7F", "12", "3 minutes", "web-1"} {
		page.Has(fmt.Sprintf("%stbody tr:first-child td:nth-of-type(%d)", feeds, n+1), want)
	}
	page.Has(feeds+"p", "There is one dead letter")
	if n := page.Page().Find(feeds + "tbody tr").Length(); n != 2 {
		t.Errorf("%d ranges, want 2", n)
	}
	work := "section:has(#progress-title) "
	page.Has(work+"li:first-child p", "Rebuild of users: 75.0 % of its change feed, 25 transactions left")
	page.Has(work+"li:nth-child(2)", "Import: 30 of 120 posts for @ben").Has(work+"progress[max='120'][value='30']", "")
	page.Has(work+"li:nth-child(3)", "1 account will be deleted. The next deletion is in 2 days.")
	page.Has(work+"li:nth-child(4)", "Posts are on their way to followers in 1 queue. The first one has waited for")
	page.Has("#advice-title ~ ul li:first-child", "1 change could not be projected")
	page.Has("#advice-title ~ ul li:nth-child(2)", "The projection of posts is 3m0s behind in the range 00-7F")
	page.Has("#advice-title ~ ul li:nth-child(3)", "for 2m0s without reaching their ends: search")
	page.Has(`section:has(#containers-title) tr:has(th:contains("users"))`, "KB")
}

func TestUnavailableFiguresAreReportedWith503(t *testing.T) {
	s, anna := site(t)
	s.Data.Fail("Costs.Intervals")
	anna.Get("/admin/costs").Want(503)
	s.Data.Recover("Costs.Intervals")
}

func TestPageShowsWhatCanBeRead(t *testing.T) {
	s, anna := site(t)
	put(s)
	const feeds, work = "section:has(#feeds-title)", "section:has(#progress-title)"
	for method, want := range map[string]struct{ section, text, not string }{
		"Costs.Sizes":       {"section:has(#containers-title)", "The sizes can't be read at the moment.", "In all"},
		"DeadLetters.Count": {feeds, "The dead letters can't be read at the moment.", "There are no dead letters"},
		"ImportJobs.Entries": {work, "The imports can't be read at the moment.",
			"No rebuild or import is under way"},
		"ScheduledDeletions.Upcoming": {work, "The scheduled deletions can't be read at the moment.",
			"No rebuild or import is under way"},
		"Deliveries.Due": {work, "It can't be read at the moment whether posts are on their way",
			"No rebuild or import is under way"},
	} {
		whole := anna.Get("/admin/costs").Want(200)
		if strings.Contains(whole.Body, want.text) || !strings.Contains(whole.Body, want.not) {
			t.Errorf("while %s works, the page says %q or lacks %q", method, want.text, want.not)
		}
		s.Data.Fail(method)
		page := anna.Get("/admin/costs").Want(200).Has(want.section, want.text).Has(".key-figures", "6,100")
		s.Data.Recover(method)
		if strings.Contains(page.Body, want.not) {
			t.Errorf("while %s fails, the page says %q", method, want.not)
		}
		if billed := strings.Contains(page.Body, "Storage, in addition"); billed == (method == "Costs.Sizes") {
			t.Errorf("while %s fails, the bill has a price of the storage: %v", method, billed)
		}
	}
}

func TestImportsUnderWayAreShownBeforeEndedOnes(t *testing.T) {
	s, anna := site(t)
	ctx := s.Data.Context()
	importOf := func(state domain.ImportState) {
		user := domain.NewUserID(nil)
		s.Data.Must(s.Data.Store.ImportJobs.PutEntry(ctx, domain.ImportJob{UserID: user}))
		if state != "" {
			_, err := s.Data.Store.ImportJobs.Put(ctx, domain.ImportJob{ID: domain.NewID(), UserID: user, State: state,
				Created: time.Now()})
			s.Data.Must(err)
		}
	}
	for range 25 {
		importOf("") // the job is gone
	}
	importOf(domain.ImportDone)
	importOf(domain.ImportFailed)
	const work = "section:has(#progress-title) "
	anna.Get("/admin/costs").Has(work+"p:first-of-type", "No rebuild or import is under way, and no deletion")
	for range 20 {
		importOf(domain.ImportRunning)
	}
	page := anna.Get("/admin/costs")
	if n := page.Page().Find(work + "li:contains('Import')").Length(); n != 20 {
		t.Errorf("%d imports, want 20", n)
	}
	importOf(domain.ImportReady)
	page = anna.Get("/admin/costs").Has(work+"li:last-child", "more import")
	if n := page.Page().Find(work + "li").Length(); n != 21 {
		t.Errorf("%d imports and a line about more, want 21", n)
	}
}

func TestPagesOfManyFigures(t *testing.T) {
	today := time.Now().Truncate(time.Hour)
	synctest.Test(t, func(t *testing.T) { // no minute begins between the figures and the page
		time.Sleep(time.Until(today)) // the clock began in 2000, before the first item of the database
		s, anna := site(t)
		var ids []string
		for i := range 12 {
			ids = append(ids, anna.CreatePost(fmt.Sprint("Post ", i), "text").ID)
		}
		s.Data.StoreCosts(ids...)
		for _, span := range costs.Spans() {
			page := anna.Get("/admin/costs?span=" + string(span)).Want(200)
			page.Has("nav.tabs a[aria-current]", "Last")
			bounded := strings.Contains(page.Body, "The busiest minute is a lower bound")
			if bounded == (span == costs.Hour) {
				t.Errorf("%s: the busiest minute of several processes is called a lower bound: %v", span, bounded)
			}
			if n := page.Page().Find("section:has(#partitions-title) tbody tr").Length(); n != costs.ShownPartitions {
				t.Errorf("%s: %d partitions, want %d", span, n, costs.ShownPartitions)
			}
			steps := int(span.Length() / span.Step())
			if n := page.Page().Find("section:has(#charts-title) tbody tr").Length(); n != steps {
				t.Errorf("%s: %d steps, want %d", span, n, steps)
			}
			if strings.Contains(page.Body, "NaN") || strings.Contains(page.Body, "Inf") {
				t.Errorf("%s: a number is none", span)
			}
		}
		ctx, usage := client.WithUsage(s.Data.Context())
		if _, err := s.Data.Store.Costs.Intervals(ctx, costs.Hour); err != nil || usage.Charge() > 20 {
			t.Errorf("the figures of two instances take %.1f RU, error %v", usage.Charge(), err)
		}
	})
}
