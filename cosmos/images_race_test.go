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

// fileNames is a storage of picture files that holds only their names. It calls meanwhile before the next deletion.
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

// A user who chooses two avatars concurrently has one of them, with its files, wherever a request stalls.
func TestConcurrentAvatarsLeaveOne(t *testing.T) {
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
		_, err := store.Images.Begin(t.Context(), domain.Image{Name: name, UserID: user.ID, Avatar: true, Bytes: 1,
			Created: time.Now()})
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
		if u.Avatar != name || err != nil || image.Incomplete || u.ImageCount != 1 ||
			!slices.Equal(files.names, parsed.Files()) {
			t.Errorf("the avatar is %s of %d pictures with files %q: %+v, error %v; want %s", u.Avatar, u.ImageCount,
				files.names, image, err, name)
		}
	}
	t.Run("the later avatar stays if it is chosen before the earlier request deletes the others", func(t *testing.T) {
		earlier, later := upload(), upload()
		noError(store.Profiles.SetAvatar(t.Context(), user.ID, earlier))
		transport.at, transport.meanwhile = batch, func() {
			noError(store.Profiles.SetAvatar(t.Context(), user.ID, later))
			noError(errorOf(store.Images.DeleteOldAvatars(t.Context(), user.ID, "")))
		}
		noError(errorOf(store.Images.DeleteOldAvatars(t.Context(), user.ID, "")))
		isShown(later)
	})
	t.Run("the later avatar is rejected once the earlier request has deleted it", func(t *testing.T) {
		earlier, later := upload(), upload()
		noError(store.Profiles.SetAvatar(t.Context(), user.ID, earlier))
		transport.at, transport.meanwhile = batch, func() {
			noError(errorOf(store.Images.DeleteOldAvatars(t.Context(), user.ID, "")))
		}
		if err := store.Profiles.SetAvatar(t.Context(), user.ID, later); !domain.Is(err, domain.Conflict) {
			t.Errorf("error %v", err)
		}
		isShown(earlier)
	})
}

// gallery is a user with pictures and the storage of their files.
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
	return domain.Image{Name: domain.NewImageName(g.user.ID, []byte(content), 2000, 1000, domain.ExtPNG),
		UserID: g.user.ID,
		Bytes:  1, Created: domain.Timestamp(time.Now())}
}

// begin uploads a picture without completing it: its files are stored.
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

// uploadAvatar uploads a picture and chooses it as avatar.
func (g *gallery) uploadAvatar(image domain.Image) error {
	if err := g.upload(image); err != nil {
		return err
	}
	return g.Profiles.SetAvatar(g.t.Context(), g.user.ID, image.Name.String())
}

// checkFiles checks that a complete picture has all its files, and that files have a record.
func (g *gallery) checkFiles(image domain.Image) {
	g.t.Helper()
	stored, err := g.Images.Get(g.t.Context(), g.user.ID, image.Name)
	if err == nil && !stored.Incomplete && !g.files.has(image.Name) {
		g.t.Error("the picture is complete without its files")
	}
	if domain.Is(err, domain.NotFound) && g.files.has(image.Name) {
		g.t.Error("the picture's files have no record")
	}
}

// checkUploadAgain uploads a picture again and checks that it is complete, in whatever state it was before.
func (g *gallery) checkUploadAgain(image domain.Image) {
	g.t.Helper()
	g.check(g.upload(image))
	stored, err := g.Images.Get(g.t.Context(), g.user.ID, image.Name)
	if err != nil || stored.Incomplete || !g.files.has(image.Name) {
		g.t.Errorf("after another upload the picture is %+v, error %v, has files: %t", stored, err,
			g.files.has(image.Name))
	}
	user, err := g.Users.ByID(g.t.Context(), g.user.ID)
	g.check(err)
	if user.ImageCount != len(g.files.names)/len(image.Name.Files()) {
		g.t.Errorf("%d pictures are counted, the files are %q", user.ImageCount, g.files.names)
	}
}

func TestPictureUploadedDuringItsDeletion(t *testing.T) {
	t.Run("is no avatar without files", func(t *testing.T) {
		g := newGallery(t)
		a, b := g.image("a"), g.image("b")
		a.Avatar, b.Avatar = true, true
		g.check(g.uploadAvatar(a))
		g.check(g.uploadAvatar(b))
		var again error
		g.files.meanwhile = func() error { again = g.uploadAvatar(a); return nil }
		g.check(errorOf(g.Images.DeleteOldAvatars(t.Context(), g.user.ID, "")))
		if again != nil && !domain.Is(again, domain.Unavailable) {
			t.Errorf("choosing the avatar again: %v, want unavailable or success", again)
		}
		g.checkFiles(a)
		g.checkUploadAgain(a)
		g.check(g.uploadAvatar(a))
	})
	t.Run("has its files once it is complete", func(t *testing.T) {
		g := newGallery(t)
		a := g.image("a")
		g.check(g.upload(a))
		var again error
		g.files.meanwhile = func() error { again = g.upload(a); return nil }
		g.check(g.Images.Delete(t.Context(), g.user.ID, a.Name))
		if again != nil && !domain.Is(again, domain.Unavailable) {
			t.Errorf("uploading again: %v, want unavailable or success", again)
		}
		g.checkFiles(a)
		g.checkUploadAgain(a)
	})
	t.Run("does not become complete if its upload began before the deletion", func(t *testing.T) {
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
			t.Errorf("completing the upload: %v, want unavailable", completed)
		}
		g.checkFiles(a)
		g.checkUploadAgain(a)
	})
	t.Run("is incomplete after a failed deletion and complete after another upload", func(t *testing.T) {
		g := newGallery(t)
		a := g.image("a")
		g.check(g.upload(a))
		g.files.meanwhile = func() error { return domain.NewError(domain.Unavailable, "down") }
		if err := g.Images.Delete(t.Context(), g.user.ID, a.Name); !domain.Is(err, domain.Unavailable) {
			t.Errorf("deleting the picture: %v, want unavailable", err)
		}
		if err := g.Images.Complete(t.Context(), g.user.ID, a.Name); !domain.Is(err, domain.Unavailable) {
			t.Errorf("completing the upload: %v, want unavailable", err)
		}
		g.files.names = nil
		g.checkUploadAgain(a)
	})
	t.Run("is deleted as a former avatar, but only some time after the deleting process crashed", func(t *testing.T) {
		g := newGallery(t)
		a := g.image("a")
		a.Avatar = true
		g.check(g.uploadAvatar(a))
		g.check(g.Profiles.SetAvatar(t.Context(), g.user.ID, ""))
		marked := func(until time.Duration) {
			t.Helper()
			died := deletionMark(domain.NewID())
			died.SetCondition("from c where is_defined(c.id)")
			died.AppendSet("/deletionEnd", schema.Instant(time.Now().Add(until)))
			g.check(g.Container(schema.UsersContainer).Patch(t.Context(), g.user.ID, schema.ImageID(a.Name.String()),
				died))
		}
		marked(time.Minute)
		again, err := g.Images.DeleteOldAvatars(t.Context(), g.user.ID, "")
		if err != nil || again < 50*time.Second || again > 70*time.Second {
			t.Errorf("to be repeated after %v, error %v, want about a minute", again, err)
		}
		marked(-time.Second)
		again, err = g.Images.DeleteOldAvatars(t.Context(), g.user.ID, "")
		if _, gone := g.Images.Get(t.Context(), g.user.ID, a.Name); err != nil || again != 0 ||
			!domain.Is(gone, domain.NotFound) {
			t.Errorf("to be repeated after %v, error %v; reading the picture: %v, want not found", again, err, gone)
		}
	})
	t.Run("can be uploaded again some time after the deleting process crashed", func(t *testing.T) {
		g := newGallery(t)
		a := g.image("a")
		g.check(g.upload(a))
		died := deletionMark(domain.NewID())
		died.AppendSet("/deletionEnd", schema.Instant(time.Now().Add(-time.Minute)))
		g.check(g.Container(schema.UsersContainer).Patch(t.Context(), g.user.ID, schema.ImageID(a.Name.String()), died))
		g.files.names = nil
		g.checkUploadAgain(a)
	})
}

func TestPictureChangedDuringItsDeletionIsDeleted(t *testing.T) {
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
				t.Errorf("reading the deleted picture's record: %v, want not found", err)
			}
			g.checkFiles(a)
			g.checkUploadAgain(a)
		})
	}
}

func errorOf[T any](_ T, err error) error { return err }
