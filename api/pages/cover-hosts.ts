import Joi from 'joi';

/** The setting `COVER_HOSTS`: from where the readers' page loads pictures of covers. */

/** A host as a policy of contents writes it. `*` alone would be everybody. */
const HOST = /^(?:\*\.)?[a-z\d-]+(?:\.[a-z\d-]+)*(?::\d{1,5})?$/i;

/** Hosts separated by commas, as a list. */
export const coverHosts = () =>
  Joi.string()
    .custom((text: string, helpers) => {
      const hosts = text.split(',').map((host) => host.trim());
      const wrong = hosts.findIndex((host) => !HOST.test(host));
      return wrong < 0 ? hosts : helpers.error('cover.host', { number: wrong + 1 });
    })
    .messages({
      'cover.host':
        '{{#label}} must be hosts by comma, such as covers.example or *.covers.example:8443, ' +
        'without https:// and path; number {{#number}} is none',
    })
    .default([]);
