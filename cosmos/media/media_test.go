package media_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore/policy"

	"inkfeed/cosmos/media"
	"inkfeed/cosmos/media/mediatest"
	"inkfeed/domain"
)

func openDisk(t *testing.T, folder string) *media.Disk {
	t.Helper()
	disk := media.NewDisk(folder)
	if err := disk.Prepare(t.Context()); err != nil {
		t.Fatal(err)
	}
	return disk
}

func openBlobs(t *testing.T, o media.BlobOptions) *media.Blobs {
	t.Helper()
	blobs, err := media.NewBlobs(o)
	if err == nil {
		err = blobs.Prepare(t.Context())
	}
	if err != nil {
		t.Fatal(err)
	}
	return blobs
}

func TestDisk(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "not", "there")
	mediatest.Run(t, openDisk(t, folder), func(t *testing.T) mediatest.Store { return openDisk(t, folder) })
	t.Run("leaves no temporary files", func(t *testing.T) {
		drafts, err := filepath.Glob(filepath.Join(folder, "*", "new-*"))
		if err != nil || len(drafts) > 0 {
			t.Errorf("%v, error %v", drafts, err)
		}
	})
	t.Run("reports a file in place of the folder", func(t *testing.T) {
		path := filepath.Join(t.TempDir(), "media")
		if err := os.WriteFile(path, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		if err := media.NewDisk(path).Prepare(t.Context()); err == nil || !strings.Contains(err.Error(), path) {
			t.Errorf("error %v", err)
		}
	})
	t.Run("reports a missing folder as unavailable", func(t *testing.T) {
		name := domain.ImageName{Hash: domain.NewID(), Width: 5, Height: 5, Ext: domain.ExtPNG}.String()
		if err := media.NewDisk(filepath.Join(t.TempDir(), "none")).Delete(t.Context(), name); !domain.Is(err,
			domain.Unavailable) {
			t.Errorf("error %v", err)
		}
	})
	t.Run("reports a failed write as unavailable", func(t *testing.T) {
		folder := t.TempDir()
		disk := openDisk(t, folder)
		name := domain.ImageName{Hash: domain.NewID(), Width: 5, Height: 5, Ext: domain.ExtPNG}.String()
		if err := os.WriteFile(filepath.Join(folder, name[:1]), nil, 0o600); err != nil {
			t.Fatal(err)
		}
		if err := disk.Put(t.Context(), name, []byte("x")); !domain.Is(err, domain.Unavailable) {
			t.Errorf("error %v", err)
		}
	})
}

func TestBlobs(t *testing.T) {
	fake := newFakeBlob(t)
	options := media.BlobOptions{ConnectionString: fake.connectionString(), Container: "pictures"}
	mediatest.Run(t, openBlobs(t, options), func(t *testing.T) mediatest.Store { return openBlobs(t, options) })
	signed := media.BlobOptions{ContainerURL: fake.URL + "/" + fakeAccount + "/pictures?sig=good"}
	t.Run("with a shared access signature", func(t *testing.T) {
		mediatest.Run(t, openBlobs(t, signed), func(t *testing.T) mediatest.Store { return openBlobs(t, signed) })
	})
}

// tokenOf is a credential with one token.
type tokenOf string

func (t tokenOf) GetToken(_ context.Context, o policy.TokenRequestOptions) (azcore.AccessToken, error) {
	if len(o.Scopes) != 1 || o.Scopes[0] != "https://storage.azure.com/.default" {
		return azcore.AccessToken{}, fmt.Errorf("the scopes are %q", o.Scopes)
	}
	return azcore.AccessToken{Token: string(t), ExpiresOn: time.Now().Add(time.Hour)}, nil
}

func TestBlobsWithATokenCredential(t *testing.T) {
	fake := startFakeBlob(t, httptest.NewTLSServer)
	fake.containers["pictures"] = map[string]fakeFile{}
	options := func(container string, token tokenOf) media.BlobOptions {
		return media.BlobOptions{ContainerURL: fake.URL + "/" + fakeAccount + "/" + container, Credential: token,
			Transport: fake.Client()}
	}
	contributor := options("pictures", "of a contributor")
	mediatest.Run(t, openBlobs(t, contributor), func(t *testing.T) mediatest.Store { return openBlobs(t, contributor) })
	for name, tt := range map[string]struct {
		o    media.BlobOptions
		what string
	}{
		"no role":                         {options("pictures", "of a stranger"), "AuthorizationPermissionMismatch"},
		"a role that only allows reading": {options("pictures", "of a reader"), "AuthorizationPermissionMismatch"},
		"a missing container":             {options("missing", "of a contributor"), "ContainerNotFound"},
	} {
		t.Run(name+" is reported and nothing is created", func(t *testing.T) {
			blobs, err := media.NewBlobs(tt.o)
			if err != nil {
				t.Fatal(err)
			}
			if err := blobs.Prepare(t.Context()); err == nil || !strings.Contains(err.Error(), tt.what) ||
				strings.Contains(err.Error(), "\n") {
				t.Errorf("error %v", err)
			}
			if len(fake.containers) != 1 {
				t.Errorf("the account has %d containers", len(fake.containers))
			}
		})
	}
}

// TestBlobService runs the contract against a storage account or Azurite, if the environment names one.
func TestBlobService(t *testing.T) {
	options := media.BlobOptions{ContainerURL: os.Getenv("INKFEED_TEST_BLOB_CONTAINER_URL"),
		ConnectionString: os.Getenv("INKFEED_TEST_STORAGE_CONNECTION_STRING"), Container: "inkfeed-test"}
	if options.ContainerURL == "" && options.ConnectionString == "" {
		t.Skip("neither INKFEED_TEST_BLOB_CONTAINER_URL nor INKFEED_TEST_STORAGE_CONNECTION_STRING is set")
	}
	mediatest.Run(t, openBlobs(t, options), func(t *testing.T) mediatest.Store { return openBlobs(t, options) })
}

func TestBlobFailures(t *testing.T) {
	name := domain.ImageName{Hash: domain.NewID(), Width: 5, Height: 5, Ext: domain.ExtPNG}.String()
	content := bytes.Repeat([]byte("0123456789"), 10_000)
	open := func(t *testing.T) (*fakeBlob, *media.Blobs) {
		fake := newFakeBlob(t)
		return fake, openBlobs(t, media.BlobOptions{ConnectionString: fake.connectionString(), Container: "pictures"})
	}
	t.Run("a deletion fails while the container is missing", func(t *testing.T) {
		fake, blobs := open(t)
		delete(fake.containers, "pictures")
		if err := blobs.Delete(t.Context(), name); !domain.Is(err, domain.Unavailable) {
			t.Errorf("error %v, want Unavailable", err)
		}
	})
	t.Run("a file is stored with its media type", func(t *testing.T) {
		fake, blobs := open(t)
		if err := blobs.Put(t.Context(), name, content); err != nil {
			t.Fatal(err)
		}
		if got := fake.containers["pictures"][name].contentType; got != "image/png" {
			t.Errorf("type %q", got)
		}
	})
	t.Run("a transient failure is retried", func(t *testing.T) {
		fake, blobs := open(t)
		failures := 2
		fake.failWith(func(*http.Request) int {
			if failures--; failures >= 0 {
				return http.StatusServiceUnavailable
			}
			return 0
		})
		if err := blobs.Put(t.Context(), name, content); err != nil {
			t.Error(err)
		}
	})
	t.Run("a lasting failure is unavailable", func(t *testing.T) {
		fake, blobs := open(t)
		if err := blobs.Put(t.Context(), name, content); err != nil {
			t.Fatal(err)
		}
		fake.failWith(func(*http.Request) int { return http.StatusForbidden })
		_, err := blobs.Open(t.Context(), name)
		for what, err := range map[string]error{"open": err, "put": blobs.Put(t.Context(), name, content),
			"delete": blobs.Delete(t.Context(), name)} {
			if !domain.Is(err, domain.Unavailable) {
				t.Errorf("%s: error %v", what, err)
			}
		}
	})
	t.Run("reading resumes after a cut answer", func(t *testing.T) {
		fake, blobs := open(t)
		if err := blobs.Put(t.Context(), name, content); err != nil {
			t.Fatal(err)
		}
		fake.mu.Lock()
		fake.cut = 2
		fake.mu.Unlock()
		f, err := blobs.Open(t.Context(), name)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		if got, err := io.ReadAll(f); err != nil || !bytes.Equal(got, content) {
			t.Errorf("%d bytes of %d, error %v", len(got), len(content), err)
		}
	})
	t.Run("serving a whole file takes one request", func(t *testing.T) {
		fake, blobs := open(t)
		if err := blobs.Put(t.Context(), name, content); err != nil {
			t.Fatal(err)
		}
		before := len(fake.requests)
		f, err := blobs.Open(t.Context(), name)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		for _, whence := range []int{io.SeekEnd, io.SeekStart} {
			if _, err := f.Seek(0, whence); err != nil {
				t.Fatal(err)
			}
		}
		if got, err := io.ReadAll(f); err != nil || !bytes.Equal(got, content) {
			t.Errorf("%d bytes, error %v", len(got), err)
		}
		if asked := fake.requests[before:]; len(asked) != 1 {
			t.Errorf("requests %v", asked)
		}
	})
	t.Run("a deleted container is not reported as a missing picture", func(t *testing.T) {
		fake, blobs := open(t)
		fake.mu.Lock()
		delete(fake.containers, "pictures")
		fake.mu.Unlock()
		if _, err := blobs.Open(t.Context(), name); !domain.Is(err, domain.Unavailable) {
			t.Errorf("error %v", err)
		}
	})
	for what, wrong := range map[string]func(*fakeBlob) media.BlobOptions{
		"a wrong key": func(f *fakeBlob) media.BlobOptions {
			return media.BlobOptions{ConnectionString: strings.Replace(f.connectionString(), "AccountKey=",
				"AccountKey=AAAA", 1), Container: "pictures"}
		},
		"a wrong signature": func(f *fakeBlob) media.BlobOptions {
			return media.BlobOptions{ContainerURL: f.URL + "/" + fakeAccount + "/pictures?sig=bad"}
		},
		"a container that a signature cannot create": func(f *fakeBlob) media.BlobOptions {
			return media.BlobOptions{ContainerURL: f.URL + "/" + fakeAccount + "/other?sig=good"}
		},
		"no connection string": func(*fakeBlob) media.BlobOptions {
			return media.BlobOptions{ConnectionString: "hello", Container: "pictures"}
		},
	} {
		t.Run(what+" is told at once", func(t *testing.T) {
			fake, _ := open(t)
			blobs, err := media.NewBlobs(wrong(fake))
			if err == nil {
				err = blobs.Prepare(t.Context())
			}
			if err == nil || strings.Contains(err.Error(), "\n") {
				t.Errorf("error %v", err)
			}
		})
	}
	t.Run("errors name the request and contain no secret", func(t *testing.T) {
		fake, blobs := open(t)
		fake.failWith(func(*http.Request) int { return http.StatusForbidden })
		err := blobs.Delete(t.Context(), name)
		if err == nil || !strings.Contains(err.Error(), "request ") ||
			slices.ContainsFunc([]string{"sig=", "AccountKey", "Authorization"},
				func(s string) bool { return strings.Contains(err.Error(), s) }) {
			t.Errorf("error %v", err)
		}
	})
}
