package shop;

import jakarta.transaction.Transactional;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.http.HttpStatus;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.server.ResponseStatusException;

/** A shop's orders, by Spring Data JPA. */
@SpringBootApplication
@RestController
public class Shop {
    private final Orders orders;

    public Shop(Orders orders) {
        this.orders = orders;
    }

    @GetMapping("/orders/{id}")
    public Order show(@PathVariable("id") int id) {
        return orders.findById(id).orElseThrow(() -> new ResponseStatusException(HttpStatus.NOT_FOUND));
    }

    @PostMapping("/orders/{id}/{state}")
    @ResponseStatus(HttpStatus.NO_CONTENT)
    @Transactional
    public void change(@PathVariable("id") int id, @PathVariable("state") String state) {
        show(id).state = state;
    }

    public static void main(String[] arguments) {
        SpringApplication.run(Shop.class, arguments);
    }
}
