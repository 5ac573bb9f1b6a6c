# Reads of one row by its key, as ActiveRecord writes them when nothing is configured.
require "active_record"
require "mysql2"

class Item < ActiveRecord::Base
  self.table_name = "item"
end

ActiveRecord::Base.establish_connection(
  adapter: "mysql2",
  host: "127.0.0.1",
  port: ENV["FRAMEWORKS_PORT"],
  username: ENV["FRAMEWORKS_USER"],
  password: ENV["FRAMEWORKS_PASSWORD"],
  database: "frameworks",
  prepared_statements: ARGV[0] == "active_record_prepared"
)
ENV["FRAMEWORKS_READS"].to_i.times do
  raise "wrong row" unless Item.find(5).name == "item 5"
end
puts ActiveRecord::VERSION::STRING
