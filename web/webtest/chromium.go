package webtest

import (
	"context"
	"flag"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"inkfeed/cosmos/cosmostest/inmemory"
)

// Browser returns the Chromium that all tests of this process share. It skips the test if Chromium is not installed.
// Tests that use it run in parallel: each has tabs with their own cookies and storage.
func Browser(t *testing.T) context.Context {
	t.Helper()
	if RaceDetector {
		t.Skip("with the race detector, browser tests take minutes")
	}
	chromium := findChromium()
	if chromium == "" {
		if os.Getenv("CI") != "" {
			t.Fatal("CI is set, and Chromium is not installed")
		}
		t.Skip("Chromium is not installed: the browser tests are skipped")
	}
	t.Parallel()
	ctx, err := sharedBrowser.start(chromium)
	if err != nil {
		t.Fatal(err)
	}
	return ctx
}

func findChromium() string {
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	return ""
}

// chromiumProcess is a Chromium that starts at its first use.
type chromiumProcess struct {
	once sync.Once
	ctx  context.Context
	stop func()
	err  error
}

var sharedBrowser chromiumProcess

func (c *chromiumProcess) start(path string) (context.Context, error) {
	c.once.Do(func() {
		var profile string
		if profile, c.err = os.MkdirTemp("", "chromium"); c.err != nil {
			return
		}
		options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(path),
			chromedp.WSURLReadTimeout(MaxWait), chromedp.NoSandbox, chromedp.DisableGPU, chromedp.UserDataDir(profile),
			chromedp.Flag("disable-component-update", true), chromedp.Flag("disable-quic", true),
			chromedp.Flag("disable-sync", true))
		allocator, stopAllocator := chromedp.NewExecAllocator(context.Background(), options...)
		ctx, stop := chromedp.NewContext(allocator)
		c.ctx, c.stop = ctx, func() {
			stop()
			stopAllocator()
			_ = os.RemoveAll(profile)
		}
		c.err = chromedp.Do(ctx) // the browser lives as long as the context of its first call
	})
	return c.ctx, c.err
}

// Main runs the tests of a package, with temporary folders in memory if possible, and then closes the shared browser.
// More tests run in parallel than there are cores, because tests in the browser wait half of the time.
func Main(m *testing.M) {
	inmemory.Use()
	if err := flag.Set("test.parallel", strconv.Itoa(2*runtime.GOMAXPROCS(0))); err != nil {
		panic(err)
	}
	code := m.Run()
	if sharedBrowser.stop != nil {
		sharedBrowser.stop()
	}
	os.Exit(code)
}

// MaxWait is the time limit of each wait for the browser. It only keeps a test from hanging, since tests wait for
// states that last.
const MaxWait = time.Minute
