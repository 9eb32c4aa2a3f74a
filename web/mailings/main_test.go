package mailings_test

import (
	"testing"

	"inkfeed/web/webtest"
)

func TestMain(m *testing.M) { webtest.Main(m) }
