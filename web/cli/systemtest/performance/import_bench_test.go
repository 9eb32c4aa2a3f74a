package performance

import (
	"cmp"
	"fmt"
	"image"
	"image/jpeg"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"inkfeed/web/cli/systemtest/harness"
)

// BenchmarkImport measures imports of a generated blog: without pictures, with photographs, and again without changes.
// INKFEED_IMPORT_POSTS and INKFEED_IMPORT_PICTURES set its size. See "make bench-import".
func BenchmarkImport(b *testing.B) {
	posts, pictures := sizeFrom(b, "INKFEED_IMPORT_POSTS", 200), sizeFrom(b, "INKFEED_IMPORT_PICTURES", 20)
	env := map[string]string{"INKFEED_DATA": b.TempDir()}
	base, stop := harness.Serve(b, env, "--addr", "127.0.0.1:0")
	harness.NewVisitor(b, base).SignUp("ada")
	harness.NewVisitor(b, base).SignUp("bob")
	stop()
	folder := b.TempDir()
	text, photos := filepath.Join(folder, "text"), filepath.Join(folder, "photos")
	generateBlog(b, text, posts, 0)
	generateBlog(b, photos, posts, pictures)
	imported := func(args ...string) consumption { // runs in a process of its own
		cmd := harness.Program(b, env, append([]string{"import"}, args...)...)
		start := time.Now()
		if out, err := cmd.CombinedOutput(); err != nil {
			b.Fatalf("%v\n%s", err, out)
		}
		used := cmd.ProcessState.SysUsage().(*syscall.Rusage)
		return consumption{time.Since(start).Seconds(),
			(cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()).Seconds(), float64(used.Maxrss) / 1024}
	}
	for b.Loop() {
		alone := imported("--as", "bob", text)
		first := imported("--as", "ada", photos)
		second := imported("--as", "ada", photos)
		textAgain := imported("--as", "bob", text)
		b.ReportMetric(float64(posts)/alone.wall, "posts/s")
		b.ReportMetric(float64(posts)/alone.cpu, "posts/cpu-s")
		b.ReportMetric(float64(pictures)/first.wall, "pictures/s")
		b.ReportMetric(float64(pictures)/max(first.cpu-alone.cpu, 0.001), "pictures/cpu-s")
		b.ReportMetric(first.wall, "first-s")
		b.ReportMetric(second.wall, "second-s")
		b.ReportMetric(first.wall/second.wall, "times-faster")
		b.ReportMetric(first.cpu/second.cpu, "times-less-cpu")
		b.ReportMetric(alone.wall/textAgain.wall, "text-times-faster")
		b.ReportMetric(max(alone.memory, first.memory, second.memory), "peak-MB")
	}
}

// sizeFrom returns the value of an environment variable, or a default.
func sizeFrom(b *testing.B, variable string, otherwise int) int {
	size, err := strconv.Atoi(cmp.Or(os.Getenv(variable), strconv.Itoa(otherwise)))
	if err != nil {
		b.Fatal(err)
	}
	return size
}

// consumption is the resources that a process used: seconds of time, and megabytes of memory at its peak.
type consumption struct{ wall, cpu, memory float64 }

// generateBlog writes a Hugo blog, which is the same each time. It has posts of 600 words and photographs of
// 1600 x 1200 pixels.
func generateBlog(b *testing.B, folder string, posts, pictures int) {
	b.Helper()
	for _, name := range []string{"content/posts", "static"} {
		if err := os.MkdirAll(filepath.Join(folder, name), 0o755); err != nil {
			b.Fatal(err)
		}
	}
	write := func(name, text string) {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o644); err != nil {
			b.Fatal(err)
		}
	}
	write("hugo.toml", "baseURL = 'https://ada.example'")
	random := rand.New(rand.NewPCG(1, 2))
	words := strings.Fields("the tide comes in twice a day and nobody asks it why boats that lay on their sides " +
		"in the mud begin to move **slowly** at first")
	for n := range posts {
		var text strings.Builder
		fmt.Fprintf(&text, "---\ntitle: Post %d\ndate: %s\ntags: [sea, t%d]\naliases: [/old/%d/]\n---\n",
			n, time.Date(2010, 1, 1+n, 8, 30, 0, 0, time.UTC).Format(time.RFC3339), n%50, n)
		for paragraph := range 10 {
			if paragraph%4 == 3 {
				fmt.Fprintf(&text, "## Part %d\n\n", paragraph)
			}
			for range 60 {
				text.WriteString(words[random.IntN(len(words))] + " ")
			}
			fmt.Fprintf(&text, "[more](/posts/post-%d/).\n\n", random.IntN(posts))
		}
		for picture := n; picture < pictures; picture += posts {
			fmt.Fprintf(&text, "![The quay](/photo-%d.jpg)\n\n", picture)
		}
		write(fmt.Sprintf("content/posts/post-%d.md", n), text.String())
	}
	photo := photograph(random)
	for n := range pictures {
		for range 2000 { // makes each picture different
			photo.Y[random.IntN(len(photo.Y))] ^= 3
		}
		file, err := os.Create(filepath.Join(folder, "static", fmt.Sprintf("photo-%d.jpg", n)))
		if err == nil {
			err = jpeg.Encode(file, photo, &jpeg.Options{Quality: 85})
		}
		if err == nil {
			err = file.Close()
		}
		if err != nil {
			b.Fatal(err)
		}
	}
}

// photograph returns a picture with the details of a usual photograph: surfaces, edges and grain.
func photograph(random *rand.Rand) *image.YCbCr {
	const width, height = 1600, 1200
	p := image.NewYCbCr(image.Rect(0, 0, width, height), image.YCbCrSubsampleRatio420)
	for range 400 {
		x, y, w, h := random.IntN(width), random.IntN(height), 20+random.IntN(300), 20+random.IntN(300)
		light, slope := random.IntN(200), random.IntN(3)
		for j := y; j < min(y+h, height); j++ {
			for i := x; i < min(x+w, width); i++ {
				p.Y[j*p.YStride+i] = uint8(light + slope*(i-x)/20)
				p.Cb[j/2*p.CStride+i/2], p.Cr[j/2*p.CStride+i/2] = uint8(100+light/5), uint8(150-light/6)
			}
		}
	}
	for i := range p.Y {
		p.Y[i] = uint8(max(0, min(255, int(p.Y[i])+random.IntN(9)-4)))
	}
	return p
}
