/** What the route of tools and its description have in common. */

export const TOOL_ROUTE = '/api/threads/:threadId/tools/:tool';

/** An answer of the tool that tells of a failure, such as a refused save. */
export const REFUSED_STATUS = 422;
