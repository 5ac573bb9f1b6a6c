package frameworks;

import com.mysql.cj.jdbc.MysqlDataSource;
import com.zaxxer.hikari.HikariDataSource;
import jakarta.persistence.EntityManager;
import jakarta.persistence.EntityManagerFactory;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.util.HashMap;
import java.util.Map;
import org.apache.ibatis.annotations.Select;
import org.apache.ibatis.mapping.Environment;
import org.apache.ibatis.session.Configuration;
import org.apache.ibatis.session.SqlSession;
import org.apache.ibatis.session.SqlSessionFactory;
import org.apache.ibatis.session.SqlSessionFactoryBuilder;
import org.apache.ibatis.transaction.jdbc.JdbcTransactionFactory;
import org.jooq.SQLDialect;
import org.jooq.impl.DSL;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.data.jpa.repository.config.EnableJpaRepositories;
import org.springframework.orm.jpa.JpaTransactionManager;
import org.springframework.orm.jpa.LocalContainerEntityManagerFactoryBean;
import org.springframework.orm.jpa.SharedEntityManagerCreator;
import org.springframework.orm.jpa.vendor.HibernateJpaVendorAdapter;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

/** Reads of one row by its key, as a Java client writes them when nothing is configured. */
public final class Reads {
    private static final int READS = Integer.parseInt(System.getenv("FRAMEWORKS_READS"));
    private static final String USER = System.getenv("FRAMEWORKS_USER");
    private static final String PASSWORD = System.getenv("FRAMEWORKS_PASSWORD");
    private static final String SERVER = "127.0.0.1:" + System.getenv("FRAMEWORKS_PORT") + "/frameworks";
    private static final String MYSQL = "jdbc:mysql://" + SERVER + "?allowPublicKeyRetrieval=true";

    private Reads() {}

    private static void check(Object name) {
        if (!"item 5".equals(name)) {
            throw new IllegalStateException("name: " + name);
        }
    }

    private static void jdbc(String url) throws Exception {
        try (Connection connection = DriverManager.getConnection(url, USER, PASSWORD)) {
            for (int i = 0; i < READS; i++) {
                try (PreparedStatement read =
                        connection.prepareStatement("SELECT id, name, price FROM item WHERE id = ?")) {
                    read.setInt(1, 5);
                    try (ResultSet rows = read.executeQuery()) {
                        rows.next();
                        check(rows.getString(2));
                    }
                }
            }
            System.out.println(connection.getMetaData().getDriverVersion().split(" ")[0]);
        }
    }

    private static Map<String, Object> jpa() {
        Map<String, Object> settings = new HashMap<>();
        settings.put("jakarta.persistence.jdbc.url", MYSQL);
        settings.put("jakarta.persistence.jdbc.user", USER);
        settings.put("jakarta.persistence.jdbc.password", PASSWORD);
        return settings;
    }

    private static void hibernate() {
        var configuration = new org.hibernate.cfg.Configuration().addAnnotatedClass(Item.class);
        jpa().forEach((name, value) -> configuration.setProperty(name, value.toString()));
        try (var sessions = configuration.buildSessionFactory()) {
            for (int i = 0; i < READS; i++) {
                sessions.inTransaction(session -> check(session.find(Item.class, 5).getName()));
            }
        }
        System.out.println(org.hibernate.Version.getVersionString());
    }

    /** What a Spring application has of Spring Data. */
    @EnableJpaRepositories
    public static class Application {
        @Bean
        public HikariDataSource dataSource() {
            var source = new HikariDataSource();
            source.setJdbcUrl(MYSQL);
            source.setUsername(USER);
            source.setPassword(PASSWORD);
            source.setMaximumPoolSize(1);
            source.setTransactionIsolation(System.getProperty("isolation"));
            return source;
        }

        @Bean
        public LocalContainerEntityManagerFactoryBean entityManagerFactory(HikariDataSource source) {
            var factory = new LocalContainerEntityManagerFactoryBean();
            factory.setDataSource(source);
            factory.setPackagesToScan("frameworks");
            factory.setJpaVendorAdapter(new HibernateJpaVendorAdapter());
            return factory;
        }

        @Bean
        public PlatformTransactionManager transactionManager(EntityManagerFactory factory) {
            return new JpaTransactionManager(factory);
        }
    }

    private static void spring() {
        try (var context = new AnnotationConfigApplicationContext(Application.class)) {
            Items items = context.getBean(Items.class);
            for (int i = 0; i < READS; i++) {
                check(items.findById(5).orElseThrow().getName());
            }
        }
        System.out.println(Items.class.getInterfaces()[0].getPackage().getImplementationVersion());
    }

    /** Read-only transactions: each {@code pages}-th is a page of an owner, the others only find the owner. */
    private static void springPages(int pages) {
        try (var context = new AnnotationConfigApplicationContext(Application.class)) {
            EntityManager entities = SharedEntityManagerCreator.createSharedEntityManager(
                    context.getBean(EntityManagerFactory.class));
            var reading = new TransactionTemplate(context.getBean(PlatformTransactionManager.class));
            reading.setReadOnly(true);
            for (int i = 0; i < READS; i++) {
                boolean page = i % pages == 0;
                reading.executeWithoutResult(status -> {
                    check(entities.find(Clinic.Owner.class, 5).name);
                    if (page) {
                        check(entities.createQuery(
                                        "select p.name, t.name from Pet p join Kind t on t.id = p.kind where p.owner = 5",
                                        Object[].class)
                                .getSingleResult()[0]);
                        for (int type = 1; type <= 3; type++) {
                            check(entities.find(Clinic.Kind.class, type).name);
                        }
                    }
                });
            }
        }
        System.out.println(Items.class.getInterfaces()[0].getPackage().getImplementationVersion());
    }

    /** A mapper. */
    public interface Mapper {
        @Select("SELECT id, name, price FROM item WHERE id = #{id}")
        Map<String, Object> item(int id);
    }

    private static void mybatis() {
        MysqlDataSource source = new MysqlDataSource();
        source.setUrl(MYSQL);
        source.setUser(USER);
        source.setPassword(PASSWORD);
        Configuration configuration = new Configuration(new Environment("one", new JdbcTransactionFactory(), source));
        configuration.addMapper(Mapper.class);
        SqlSessionFactory factory = new SqlSessionFactoryBuilder().build(configuration);
        for (int i = 0; i < READS; i++) {
            try (SqlSession session = factory.openSession()) {
                check(session.getMapper(Mapper.class).item(5).get("name"));
            }
        }
        System.out.println(SqlSession.class.getPackage().getImplementationVersion());
    }

    private static void jooq() throws Exception {
        try (Connection connection = DriverManager.getConnection(MYSQL, USER, PASSWORD)) {
            var dsl = DSL.using(connection, SQLDialect.MYSQL);
            for (int i = 0; i < READS; i++) {
                check(dsl.select(DSL.field("name"))
                        .from("item")
                        .where(DSL.field("id", Integer.class).eq(5))
                        .fetchOne(0));
            }
        }
        System.out.println(org.jooq.Constants.FULL_VERSION);
    }

    /** Runs one client; its version is the last line that is written. */
    public static void main(String[] args) throws Exception {
        switch (args[0]) {
            case "connector_j" -> jdbc(MYSQL);
            case "connector_j_prepared" -> jdbc(MYSQL + "&useServerPrepStmts=true");
            case "connector_mariadb" -> jdbc("jdbc:mariadb://" + SERVER);
            case "hibernate" -> hibernate();
            case "spring_data_jpa" -> spring();
            case "spring_page" -> springPages(1);
            case "spring_page_in_2" -> springPages(2);
            case "spring_page_in_10" -> springPages(10);
            case "mybatis" -> mybatis();
            case "jooq" -> jooq();
            default -> throw new IllegalArgumentException(args[0]);
        }
    }
}
