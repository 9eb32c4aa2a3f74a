package deliveries

import (
	"context"
	"math/rand/v2"
	"os"
	"os/exec"
	"strconv"
	"testing"
	"time"
)

// TestKilledDeliveriesAreNeitherLostNorRepeated kills the process that sends mails again and again, while the mail
// server takes them. INKFEED_TEST_KILLS and INKFEED_TEST_MAILS are their numbers.
func TestKilledDeliveriesAreNeitherLostNorRepeated(t *testing.T) {
	kills, mails := numberOf("INKFEED_TEST_KILLS", 10), numberOf("INKFEED_TEST_MAILS", 500)
	seed := uint64(time.Now().UnixNano())
	t.Logf("%d kills, %d mails, seed %d", kills, mails, seed)
	random := rand.New(rand.NewPCG(seed, 0))
	folder, server := t.TempDir(), startServer(t)
	store, closeStore, err := open(folder)
	if err != nil {
		t.Fatal(err)
	}
	m, err := newMailer(server.address)
	if err != nil {
		t.Fatal(err)
	}
	received, err := put(t.Context(), store, m, mails)
	closeStore()
	if err != nil {
		t.Fatal(err)
	}
	killSender(t, server, received, kills, random, senderFolder+"="+folder, senderServer+"="+server.address)
}

// killSender kills a process that sends mails again and again, while the mail server takes them, and then lets it end.
// Received counts the mails by their ids. It has those that are to come, and no others may.
func killSender(t *testing.T, server *mailServer, received map[string]int, kills int, random *rand.Rand,
	env ...string) {
	t.Helper()
	mails := len(received)
	total, repeated, killed := 0, 0, 0
	// take counts mails until there are n, until the last one that was missing comes, or until the context ends. At any
	// time, no more mails may have been repeated than processes were killed. Two kills may concern the same mail, which
	// then comes three times.
	take := func(ctx context.Context, n int) {
		for ; n != 0; n-- {
			select {
			case id := <-server.taken:
				before, ok := received[id]
				if !ok {
					t.Fatalf("nobody is to get the mail %q", id)
				}
				received[id] = before + 1
				if before > 0 {
					if repeated++; repeated > killed {
						t.Errorf("%d mails were repeated after %d kills", repeated, killed)
					}
				} else if total++; total == mails {
					return
				}
			case <-ctx.Done():
				return
			}
		}
	}
	interrupted := 0 // kills while mails were sent
	for range kills {
		life := exec.Command(os.Args[0])
		life.Env = append(os.Environ(), env...)
		if err := life.Start(); err != nil {
			t.Fatal(err)
		}
		enough := random.IntN(2*mails/kills) + 1
		alive, cancel := context.WithTimeout(t.Context(), 20*time.Second)
		take(alive, min(enough, mails-total-1)) // some are left for the kill
		cancel()
		time.Sleep(time.Duration(random.Int64N(int64(3 * time.Millisecond))))
		life.Process.Kill()
		killed++
		life.Wait()
		if total < mails-1 {
			interrupted++
		}
	}
	t.Logf("after the kills, %d mails were received, %d again", total, repeated)
	if interrupted < kills/2 {
		t.Errorf("only %d kills came while mails were sent", interrupted)
	}
	life := exec.Command(os.Args[0])
	life.Env = append(os.Environ(), env...)
	if err := life.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { life.Process.Kill(); life.Wait() }()
	rest, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	take(rest, -1)
	quiet, cancel := context.WithTimeout(t.Context(), time.Second) // more mails would be repeated ones
	defer cancel()
	take(quiet, -1)
	for id, n := range received {
		if n == 0 {
			t.Errorf("%s was not received", id)
		}
	}
}

func numberOf(variable string, otherwise int) int {
	if n, err := strconv.Atoi(os.Getenv(variable)); err == nil {
		return n
	}
	return otherwise
}
