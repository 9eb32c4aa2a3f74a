package cosmos

import (
	"errors"
	"net"
	"net/http"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"inkfeed/cosmos/client"
	"inkfeed/cosmos/embedded"
	"inkfeed/cosmos/feeds"
	"inkfeed/domain"
)

const westHost = "west.inkfeed.internal"

// twoRegions is an account with the write region North Europe and the read region West Europe. West Europe has what
// North Europe had when replicate was last called.
type twoRegions struct {
	t     *testing.T
	dir   string
	north *embedded.Engine

	mu         sync.Mutex
	west       *embedded.Engine
	isWestDown bool
	copies     int
	reads      map[string]int // requests about items, by region
	writes     map[string]int
}

func newTwoRegions(t *testing.T, dir, consistency string) *twoRegions {
	t.Helper()
	north, err := embedded.Open(filepath.Join(dir, "north"), embedded.Options{Identity: embedded.Identity{
		Region: "North Europe", Consistency: consistency,
		ReadRegions: []embedded.Region{{Name: "West Europe", Endpoint: "https://" + westHost + ":443/"}}}})
	if err != nil {
		t.Fatal(err)
	}
	return &twoRegions{t: t, dir: dir, north: north, reads: make(map[string]int), writes: make(map[string]int)}
}

// open opens the database "test" as a process that prefers some regions.
func (r *twoRegions) open(regions ...string) (*Store, error) {
	return Open(r.t.Context(), Options{Endpoint: r.north.Endpoint(), Key: r.north.Key(), Database: "test", Transport: r,
		Regions: regions})
}

func (r *twoRegions) mustOpen(regions ...string) *Store {
	r.t.Helper()
	store, err := r.open(regions...)
	if err != nil {
		r.t.Fatal(err)
	}
	return store
}

// replicate brings West Europe up to date.
func (r *twoRegions) replicate() {
	r.t.Helper()
	r.mu.Lock()
	defer r.mu.Unlock()
	r.copies++
	file := filepath.Join(r.dir, "copy"+strconv.Itoa(r.copies))
	err := r.north.Backup(r.t.Context(), file, nil)
	if err == nil {
		err = embedded.Restore(r.t.Context(), file, file+".west", nil, nil)
	}
	if err == nil && r.west != nil {
		err = r.west.Close()
	}
	if err == nil {
		r.west, err = embedded.Open(file+".west", embedded.Options{})
	}
	if err != nil {
		r.t.Fatal(err)
	}
}

func (r *twoRegions) close() {
	if err := errors.Join(r.north.Close(), r.west.Close()); err != nil {
		r.t.Error(err)
	}
}

// Do sends a request to the engine of its region.
func (r *twoRegions) Do(request *http.Request) (*http.Response, error) {
	r.mu.Lock()
	engine, region := r.north, "north"
	if strings.HasPrefix(request.URL.Host, westHost) {
		engine, region = r.west, "west"
	}
	counts := r.writes
	if client.IsRead(request) {
		counts = r.reads
	}
	if client.ContainerOf(request.URL.Path) != "" {
		counts[region]++
	}
	isDown := r.isWestDown && region == "west"
	r.mu.Unlock()
	if isDown {
		return nil, &net.OpError{Op: "dial", Net: "tcp", Err: syscall.ECONNREFUSED}
	}
	return engine.Do(request)
}

// served returns which regions have served reads and writes since the last call.
func (r *twoRegions) served() (reads, writes map[string]int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	reads, writes = r.reads, r.writes
	r.reads, r.writes = make(map[string]int), make(map[string]int)
	return reads, writes
}

func TestReadsFromARegionThatIsBehind(t *testing.T) {
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		regions := newTwoRegions(t, dir, "Session")
		defer regions.close()
		north := regions.mustOpen()
		ada := mustUser(t, north, "ada")
		old := mustPost(t, north, ada)
		regions.replicate()
		west := regions.mustOpen("West Europe", "North Europe")
		defer func() {
			time.Sleep(time.Minute) // the SDK looks up the account's endpoints in the background
			synctest.Wait()
			west.Close()
			north.Close()
		}()

		regions.served()
		if _, err := west.Posts.Get(t.Context(), old.ID); err != nil {
			t.Fatal(err)
		}
		if reads, _ := regions.served(); reads["west"] != 1 || reads["north"] != 0 {
			t.Errorf("a read was served by %v, want the preferred region", reads)
		}

		// A process reads its own write, although its region does not have it.
		own := mustPost(t, west, ada)
		if _, writes := regions.served(); writes["west"] != 0 || writes["north"] == 0 {
			t.Errorf("a post was written in %v, want the write region", writes)
		}
		if post, err := west.Posts.Get(t.Context(), own.ID); err != nil || post.ID != own.ID {
			t.Errorf("the process reads its own post as %v, %v", post, err)
		}
		if reads, _ := regions.served(); reads["west"] == 0 || reads["north"] == 0 {
			t.Errorf("an own post was read in %v, want a refusal in the preferred region first", reads)
		}

		// Writes of other processes appear with the replication.
		reader := regions.mustOpen("West Europe")
		defer reader.Close()
		if _, err := reader.Posts.Get(t.Context(), own.ID); !domain.Is(err, domain.NotFound) {
			t.Errorf("another process reads a post that was not replicated: %v", err)
		}
		regions.replicate()
		regions.served()
		if _, err := reader.Posts.Get(t.Context(), own.ID); err != nil {
			t.Errorf("another process reads a replicated post: %v", err)
		}
		if _, err := west.Posts.Get(t.Context(), own.ID); err != nil {
			t.Errorf("the process reads its own post after the replication: %v", err)
		}
		if reads, _ := regions.served(); reads["north"] != 0 {
			t.Errorf("replicated posts were read in %v, want the preferred region", reads)
		}

		testStaleLease(t, north, reader)
		testStaleName(t, north, reader)
		testStaleContinuation(t, regions, north, reader, ada)

		regions.mu.Lock()
		regions.isWestDown = true
		regions.mu.Unlock()
		if _, err := west.Posts.Get(t.Context(), old.ID); err != nil {
			t.Errorf("reading while the preferred region is down: %v", err)
		}
		if _, err := reader.Posts.Get(t.Context(), old.ID); !domain.Is(err, domain.Unavailable) {
			t.Errorf("reading while the only preferred region is down: %v, want unavailable", err)
		}
	})
}

func mustPost(t *testing.T, store *Store, author domain.User) domain.Post {
	t.Helper()
	post, err := domain.NewPost(author, "A post", "Text", time.Now())
	if err == nil {
		err = store.Posts.Create(t.Context(), post)
	}
	if err != nil {
		t.Fatal(err)
	}
	return post
}

// testStaleLease lets a worker acquire a lease in a region where the lease still looks free.
func testStaleLease(t *testing.T, north, reader *Store) {
	t.Helper()
	ctx := t.Context()
	free := feeds.Lease{Processor: "p", Range: feeds.Range{MinInclusive: "", MaxExclusive: "FF"}, Container: "c"}
	if err := north.Leases.Create(ctx, free); err != nil {
		t.Fatal(err)
	}
	free, err := north.Leases.Read(ctx, "p", free.Range)
	if err != nil {
		t.Fatal(err)
	}
	acquire := func(s *Store, owner string) error {
		lease := free // as the region shows it
		lease.Owner, lease.Epoch = owner, lease.Epoch+1
		_, err := s.Leases.Replace(ctx, lease)
		return err
	}
	if err := acquire(north, "first"); err != nil {
		t.Fatal(err)
	}
	if err := acquire(reader, "second"); !domain.Is(err, domain.Conflict) {
		t.Errorf("acquiring an owned lease that looks free: %v, want a conflict", err)
	}
}

// testStaleName signs a user up with a name that is taken, but not yet in the region.
func testStaleName(t *testing.T, north, reader *Store) {
	t.Helper()
	mustUser(t, north, "grace")
	other, err := domain.NewUser("grace", time.Now())
	if err != nil {
		t.Fatal(err)
	}
	if err := reader.Accounts.Create(t.Context(), other, "hash"); !domain.Is(err, domain.Invalid) {
		t.Errorf("signing up with a name that is taken elsewhere: %v, want a taken name", err)
	}
}

// testStaleContinuation lets a worker continue where a worker in the write region stopped, before the changes that
// were read there have been replicated.
func testStaleContinuation(t *testing.T, regions *twoRegions, north, reader *Store, author domain.User) {
	t.Helper()
	first := mustPost(t, north, author)
	ranges := feedRanges(t, north)
	if len(ranges) != 1 {
		t.Fatalf("%d feed ranges", len(ranges))
	}
	seen, continuation := readOn(t, north, ranges[0], "")
	if !slices.Contains(seen, first.ID) {
		t.Fatalf("the change feed has %v", seen)
	}
	ids, continuation := readOn(t, reader, ranges[0], continuation)
	if len(ids) > 0 {
		t.Errorf("a region that is behind delivers %v again", ids)
	}
	second := mustPost(t, north, author)
	regions.replicate()
	// Changes can be delivered again, as after any takeover of a lease, but none is missing.
	ids, _ = readOn(t, reader, ranges[0], continuation)
	if i := slices.Index(ids, first.ID); len(ids) == 0 || ids[len(ids)-1] != second.ID || i > 0 {
		t.Errorf("after the replication the region delivers %v, want %s and at most %s before it", ids, second.ID,
			first.ID)
	}
}

func TestPreferredRegionsAreChecked(t *testing.T) {
	for name, tt := range map[string]struct {
		consistency string
		regions     []string
		warning     string
		refusal     string
	}{
		"no region":                    {consistency: "Session"},
		"the write region":             {consistency: "Session", regions: []string{"North Europe", "West Europe"}},
		"names without spaces":         {consistency: "Session", regions: []string{"northeurope", "westeurope"}},
		"another region, strong reads": {consistency: "Strong", regions: []string{"West Europe", "North Europe"}},
		"another region, session reads": {consistency: "Session", regions: []string{"West Europe", "North Europe"},
			warning: "with the consistency level Session, pages and sessions can be older"},
		"another region, bounded reads": {consistency: "BoundedStaleness",
			regions: []string{"westeurope", "northeurope"}, warning: "with the consistency level BoundedStaleness"},
		"a single region of two": {consistency: "Session", regions: []string{"North Europe"},
			warning: "only North Europe is a preferred region: reads fail while it is down"},
		"a region without data": {consistency: "Session", regions: []string{"East US"}, refusal: `no region "East US"`},
		"a second region that is offline": {consistency: "Strong", regions: []string{"West Europe", "East US"},
			warning: `no region "East US", only North Europe, West Europe`},
		"a first region that is offline": {consistency: "Session", regions: []string{"East US", "West Europe"},
			warning: "reads come from West Europe and writes go to North Europe"},
		"a region, eventually consistent": {consistency: "Eventual", regions: []string{"West Europe"},
			refusal: `the account's default consistency level is "Eventual"`},
	} {
		t.Run(name, func(t *testing.T) {
			regions := newTwoRegions(t, t.TempDir(), tt.consistency)
			regions.replicate()
			defer regions.close()
			store, err := regions.open(tt.regions...)
			if tt.refusal != "" {
				if err == nil || !strings.Contains(err.Error(), tt.refusal) {
					t.Errorf("error %v, want %q", err, tt.refusal)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			defer store.Close()
			if warns := strings.Join(store.Warnings, "; "); tt.warning == "" && warns != "" ||
				!strings.Contains(warns, tt.warning) {
				t.Errorf("warns %q, want %q", warns, tt.warning)
			}
		})
	}
}
