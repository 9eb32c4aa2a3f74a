package cosmos

import (
	"context"
	"net/http"
	"slices"
	"sync"
	"testing"
	"time"

	"inkfeed/cosmos/schema"
	"inkfeed/domain"
)

// fileNames is a store of files that holds names alone. Before the next deletion, others
// do what they do.
type fileNames struct {
	mu        sync.Mutex
	names     []string
	meanwhile func() error
}

func (f *fileNames) put(n domain.ImageName) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.names = append(f.names, n.Files()...)
}

func (f *fileNames) has(n domain.ImageName) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return !slices.ContainsFunc(n.Files(), func(file string) bool { return !slices.Contains(f.names, file) })
}

func (f *fileNames) Delete(_ context.Context, name string) error {
	if do := f.meanwhile; do != nil {
		f.meanwhile = nil
		if err := do(); err != nil {
			return err
		}
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.names = slices.DeleteFunc(f.names, func(other string) bool { return other == name })
	return nil
}

// Who chooses two pictures at once is shown one, with its files, whoever stalls where.
func TestTwoAvatarsAtOnce(t *testing.T) {
	store, transport := newStalling(t)
	files := &fileNames{}
	store.Images.files = files
	user := mustUser(t, store, "ada")
	noError := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	upload := func() string {
		name := domain.NewImageName(user.ID, []byte(domain.NewID()), 100, 100, domain.ExtPNG)
		_, err := store.Images.Begin(t.Context(), domain.Image{Name: name, UserID: user.ID, Avatar: true, Bytes: 1, Created: time.Now()})
		noError(err)
		files.names = append(files.names, name.Files()...)
		noError(store.Images.Complete(t.Context(), user.ID, name))
		return name.String()
	}
	batch := func(r *http.Request) bool { return r.Header.Get("x-ms-cosmos-is-batch-request") != "" }
	isShown := func(name string) {
		t.Helper()
		u, err := store.Users.ByID(t.Context(), user.ID)
		noError(err)
		parsed, _ := domain.ParseImageName(name)
		image, err := store.Images.Get(t.Context(), user.ID, parsed)
		if u.Avatar != name || err != nil || image.Incomplete || u.ImageCount != 1 || !slices.Equal(files.names, parsed.Files()) {
			t.Errorf("%s is shown of %d with files %q: %+v, error %v; want %s", u.Avatar, u.ImageCount, files.names, image, err, name)
		}
	}
	t.Run("the later is shown before the earlier has taken it away", func(t *testing.T) {
		earlier, later := upload(), upload()
		noError(store.Users.SetAvatar(t.Context(), user.ID, earlier))
		transport.at, transport.meanwhile = batch, func() {
			noError(store.Users.SetAvatar(t.Context(), user.ID, later))
			noError(store.Images.KeepAvatar(t.Context(), user.ID))
		}
		noError(store.Images.KeepAvatar(t.Context(), user.ID))
		isShown(later)
	})
	t.Run("the later is not shown once the earlier has taken it away", func(t *testing.T) {
		earlier, later := upload(), upload()
		noError(store.Users.SetAvatar(t.Context(), user.ID, earlier))
		transport.at, transport.meanwhile = batch, func() { noError(store.Images.KeepAvatar(t.Context(), user.ID)) }
		if err := store.Users.SetAvatar(t.Context(), user.ID, later); !domain.Is(err, domain.Conflict) {
			t.Errorf("error %v", err)
		}
		isShown(earlier)
	})
}

// gallery is a user with pictures.
type gallery struct {
	*Store
	t     *testing.T
	files *fileNames
	user  domain.User
}

func newGallery(t *testing.T) *gallery {
	t.Helper()
	store, _ := newStalling(t)
	g := &gallery{Store: store, t: t, files: &fileNames{}, user: mustUser(t, store, "ada")}
	g.Images.files = g.files
	return g
}

func (g *gallery) check(err error) {
	g.t.Helper()
	if err != nil {
		g.t.Fatal(err)
	}
}

func (g *gallery) image(content string) domain.Image {
	return domain.Image{Name: domain.NewImageName(g.user.ID, []byte(content), 2000, 1000, domain.ExtPNG), UserID: g.user.ID,
		Bytes: 1, Created: domain.Timestamp(time.Now())}
}

// begin uploads a picture as far as that its files are there.
func (g *gallery) begin(image domain.Image) error {
	begun, err := g.Images.Begin(g.t.Context(), image)
	if err == nil && begun.Incomplete {
		g.files.put(image.Name)
	}
	return err
}

func (g *gallery) upload(image domain.Image) error {
	if err := g.begin(image); err != nil {
		return err
	}
	return g.Images.Complete(g.t.Context(), g.user.ID, image.Name)
}

// wear uploads a picture and shows it.
func (g *gallery) wear(image domain.Image) error {
	if err := g.upload(image); err != nil {
		return err
	}
	return g.Users.SetAvatar(g.t.Context(), g.user.ID, image.Name.String())
}

// sound is whether a picture has all its files, unless its record says otherwise.
func (g *gallery) sound(image domain.Image) {
	g.t.Helper()
	stored, err := g.Images.Get(g.t.Context(), g.user.ID, image.Name)
	if err == nil && !stored.Incomplete && !g.files.has(image.Name) {
		g.t.Error("it is complete, without files")
	}
	if domain.Is(err, domain.NotFound) && g.files.has(image.Name) {
		g.t.Error("there are files without a record")
	}
}

// kept uploads a picture once more: then it is there, whatever was before.
func (g *gallery) kept(image domain.Image) {
	g.t.Helper()
	g.check(g.upload(image))
	stored, err := g.Images.Get(g.t.Context(), g.user.ID, image.Name)
	if err != nil || stored.Incomplete || !g.files.has(image.Name) {
		g.t.Errorf("%+v, error %v, files %t", stored, err, g.files.has(image.Name))
	}
	user, err := g.Users.ByID(g.t.Context(), g.user.ID)
	g.check(err)
	if user.ImageCount != len(g.files.names)/len(image.Name.Files()) {
		g.t.Errorf("%d are counted, there are %q", user.ImageCount, g.files.names)
	}
}

func TestAPictureThatIsUploadedWhileItIsDeleted(t *testing.T) {
	t.Run("as an avatar is not shown without files", func(t *testing.T) {
		g := newGallery(t)
		a, b := g.image("a"), g.image("b")
		a.Avatar, b.Avatar = true, true
		g.check(g.wear(a))
		g.check(g.wear(b))
		var again error
		g.files.meanwhile = func() error { again = g.wear(a); return nil }
		g.check(g.Images.KeepAvatar(t.Context(), g.user.ID))
		if again != nil && !domain.Is(again, domain.Unavailable) {
			t.Errorf("chosen again: %v", again)
		}
		g.sound(a)
		g.kept(a)
		g.check(g.wear(a))
	})
	t.Run("has its files once it is complete", func(t *testing.T) {
		g := newGallery(t)
		a := g.image("a")
		g.check(g.upload(a))
		var again error
		g.files.meanwhile = func() error { again = g.upload(a); return nil }
		g.check(g.Images.Delete(t.Context(), g.user.ID, a.Name))
		if again != nil && !domain.Is(again, domain.Unavailable) {
			t.Errorf("uploaded again: %v", again)
		}
		g.sound(a)
		g.kept(a)
	})
	t.Run("and whose upload began before does not become complete", func(t *testing.T) {
		g := newGallery(t)
		a := g.image("a")
		g.check(g.begin(a))
		var completed error
		g.files.meanwhile = func() error {
			completed = g.Images.Complete(t.Context(), g.user.ID, a.Name)
			return nil
		}
		g.check(g.Images.Delete(t.Context(), g.user.ID, a.Name))
		if !domain.Is(completed, domain.Unavailable) {
			t.Errorf("completed: %v", completed)
		}
		g.sound(a)
		g.kept(a)
	})
	t.Run("in vain is there at once, and not complete before", func(t *testing.T) {
		g := newGallery(t)
		a := g.image("a")
		g.check(g.upload(a))
		g.files.meanwhile = func() error { return domain.Errorf(domain.Unavailable, "down") }
		if err := g.Images.Delete(t.Context(), g.user.ID, a.Name); !domain.Is(err, domain.Unavailable) {
			t.Errorf("deleted: %v", err)
		}
		if err := g.Images.Complete(t.Context(), g.user.ID, a.Name); !domain.Is(err, domain.Unavailable) {
			t.Errorf("completed: %v", err)
		}
		g.files.names = nil
		g.kept(a)
	})
	t.Run("by a process that died is there some time later", func(t *testing.T) {
		g := newGallery(t)
		a := g.image("a")
		g.check(g.upload(a))
		died := noteDeletion(domain.NewID())
		died.AppendSet("/deletionEnd", schema.Instant(time.Now().Add(-time.Minute)))
		g.check(g.Container(schema.UsersContainer).Patch(t.Context(), g.user.ID, schema.ImageID(a.Name.String()), died))
		g.files.names = nil
		g.kept(a)
	})
}

func TestAPictureThatIsChangedWhileItIsDeletedGoes(t *testing.T) {
	for name, change := range map[string]func(*gallery, domain.Image) error{
		"described": func(g *gallery, a domain.Image) error {
			return g.Images.Describe(g.t.Context(), g.user.ID, a.Name, "A cat")
		},
		"deleted": func(g *gallery, a domain.Image) error { return g.Images.Delete(g.t.Context(), g.user.ID, a.Name) },
	} {
		t.Run(name, func(t *testing.T) {
			g := newGallery(t)
			a := g.image("a")
			g.check(g.upload(a))
			g.files.meanwhile = func() error { return change(g, a) }
			g.check(g.Images.Delete(t.Context(), g.user.ID, a.Name))
			if _, err := g.Images.Get(t.Context(), g.user.ID, a.Name); !domain.Is(err, domain.NotFound) {
				t.Errorf("its record: %v", err)
			}
			g.sound(a)
			g.kept(a)
		})
	}
}
