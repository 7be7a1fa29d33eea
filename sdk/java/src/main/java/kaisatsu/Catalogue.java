package kaisatsu;

import java.util.List;
import java.util.Map;
import kaisatsu.http.MultipartBody;
import kaisatsu.json.JsonWriter;
import kaisatsu.model.Item;
import kaisatsu.model.ItemPage;

/** The catalogue of items that can be recognised. For keys of operators. */
public final class Catalogue extends Group {
    private static final String ITEMS = RECOGNITION + "catalogue/items";

    Catalogue(Caller caller) {
        super(caller);
    }

    /**
     * Lists items.
     *
     * @param query which
     * @return a page of them
     */
    public ItemPage list(ItemQuery query) {
        return list(query.values());
    }

    private ItemPage list(Map<String, Object> query) {
        return call(Call.get(ITEMS).with(query)).read(ItemPage::new);
    }

    /**
     * Lists items, all of them, page after page.
     *
     * @param query which; its limit is the size of a page
     * @return the items
     */
    public Iterable<Item> each(ItemQuery query) {
        final Map<String, Object> values = query.values();
        return new Pages<Item>() {
            @Override
            Page<Item> page(Object from) {
                ItemPage here = list(at(values, "cursor", from));
                return new Page<>(here.getItems(), here.getNextCursor());
            }
        };
    }

    /**
     * Adds an item, or replaces the one of the same id.
     *
     * @param item the item
     * @return the item as it is in the catalogue
     */
    public Item add(NewItem item) {
        MultipartBody form = new MultipartBody();
        for (Map.Entry<String, Object> field : item.values().entrySet()) {
            addTo(form, field.getKey(), field.getValue());
        }
        return call(Call.create(ITEMS).with(form)).read(Item::new);
    }

    private static void addTo(MultipartBody form, String name, Object value) {
        switch (name) {
            case "barcodes":
                for (Object barcode : (List<?>) value) {
                    form.addField("barcode", barcode.toString());
                }
                break;
            case "images":
                for (Object image : (List<?>) value) {
                    addPicture(form, (Picture) image);
                }
                break;
            case "sites":
                form.addField("sites", JsonWriter.write(value));
                break;
            case "details":
                for (Map.Entry<?, ?> detail : ((Map<?, ?>) value).entrySet()) {
                    form.addField(detail.getKey().toString(), detail.getValue().toString());
                }
                break;
            default:
                form.addField(name, value.toString());
        }
    }

    /**
     * Removes the item of an id.
     *
     * @param id the operator's own id
     */
    public void remove(String id) {
        call(Call.delete(ITEMS).with("id", text("id", id)));
    }

    /**
     * Removes the items of a barcode.
     *
     * @param barcode the barcode
     */
    public void removeByBarcode(String barcode) {
        call(Call.delete(ITEMS).with("barcode", text("barcode", barcode)));
    }
}
