/** The version of Skein, as clients and health checks are told: that of `package.json`. */
export const VERSION = '0.1.0';
