package client

import "testing"

func TestNumberOfItemsIsReadFromAContainersUsage(t *testing.T) {
	usage := "functions=0;storedProcedures=0;triggers=0;documentSize=1;documentsSize=1201;documentsCount=6320;" +
		"collectionSize=1500;"
	if n, err := usageOf(usage, "documentsCount"); n != 6320 || err != nil {
		t.Errorf("the number of items is %d, error %v", n, err)
	}
	if n, err := usageOf(usage, "collectionSize"); n != 1500 || err != nil {
		t.Errorf("the size with indexes is %d KB, error %v", n, err)
	}
	for _, usage := range []string{"", "documentsSize=12;", "documentsCount=many"} {
		if n, err := usageOf(usage, "documentsCount"); err == nil {
			t.Errorf("%q is read as %d items, want an error", usage, n)
		}
	}
}
